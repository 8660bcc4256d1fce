// SPDX-License-Identifier: MIT OR Apache-2.0
// Recognises files of the kernel: by name, and by the type of the file system wherever it is mounted.

export const kernelDirectories = ["/proc", "/sys", "/dev"] as const;

/** statfs(2) magic numbers of Linux: proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs. */
export const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673,
]);
