export class RunningTerminal { [x:string]: any; static start(...a:any[]): any {} }
