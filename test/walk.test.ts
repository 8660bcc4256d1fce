// SPDX-License-Identifier: MIT OR Apache-2.0
// A walk through the command line as a new user takes it, with the demo agent, in a real terminal. Each screen is compared
// with its recording, walk/80.txt and walk/120.txt: read them to see what people see. `npx vitest run test/walk.test.ts -u`
// records them anew. Skipped where there is no tmux, unless AGENTD_TEST_TMUX is "required".
// @module-tag slow
import { expect, onTestFinished, test } from "vitest";
import { whyNoTmux } from "./harness/terminal.ts";
import { openWalk } from "./walk/walk.ts";

/** The prompt line, below the end of this turn. */
const promptAfterTurn = (turn: number): RegExp => new RegExp(`turn ${turn} done[^]*\\n> *$`);

test.for([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
])("a new user's walk at $columns columns", { timeout: 240_000 }, async (size, { skip }) => {
  const why = whyNoTmux();
  if (why !== undefined && process.env["AGENTD_TEST_TMUX"] === "required") throw new Error(why);
  if (why !== undefined) skip(why);
  const walk = await openWalk(size);
  onTestFinished(() => walk[Symbol.asyncDispose]());
  const { shell } = walk;

  await shell.runs("Nothing is there yet", "mix agent");
  await shell.runs("What agents are there?", "mix agent agents");
  await shell.runs("How is one started?", "mix agent help start");
  await shell.runs("A mistyped verb", "mix agent strat demo hello");

  await shell.begins('mix agent start demo "ask write notes.txt buy milk" --name shopping --cwd .');
  await shell.shows("Start a session in this directory: its agent asks", /\[y\/n.*\]/);
  await shell.answers("The answer is y, and the turn ends", "y");

  await shell.begins("mix agent attach");
  await shell.shows("Attach to this directory's session", promptAfterTurn(1));
  await shell.window.paste("write list.txt milk\nbread\nbutter");
  await shell.shows("A paste of several lines stays in the line until Enter", "butter");
  await shell.window.press("Enter");
  await shell.shows("It is one prompt", promptAfterTurn(2));
  const beside = await walk.newShell();
  await shell.window.type("ask write more.txt eggs");
  await shell.window.press("Enter");
  await shell.shows("The next prompt is asked about", /\[y\/n.*\]/);

  await beside.runs("In another window: who waits for me?", "mix agent");
  await beside.runs("What is it asking?", "mix agent permit ls");
  await beside.begins("mix agent permit allow");
  await beside.shows("Allow it from there: no request is named, so it is shown first", /\[y\/N\]$/);
  await beside.answers("Allowed", "y");
  await shell.shows("The first window goes on", promptAfterTurn(3));
  await shell.window.type(":detach");
  await shell.window.press("Enter");
  await shell.ends("Leave it running");

  await shell.begins("mix agent attach shopping");
  await shell.shows("Attach again", promptAfterTurn(3));
  await shell.window.type(":history");
  await shell.window.press("Enter");
  await shell.shows("What came before", /turn 2 ends here[^]*\n> *$/);
  await shell.window.press("C-d");
  await shell.ends("Ctrl-D leaves it as well");

  await shell.runs("What sessions are there?", "mix agent ls");
  await shell.runs("What is this one?", "mix agent show");
  await shell.runs("What was said?", "mix agent show --transcript");
  await shell.runs("What happened, one row for each thing", "mix agent log");
  await shell.runs("Another name", "mix agent rename shopping groceries");

  await shell.runs("A prompt that takes long, in the background", 'mix agent send groceries "slow 60" --no-wait');
  await shell.runs("Everything in one screen", "mix agent");
  await shell.runs("Cancel it", "mix agent cancel groceries");
  await shell.runs("Close it", "mix agent close groceries");
  await shell.runs("No live session is left", "mix agent ls");
  await shell.runs("A prompt brings it back", 'mix agent send groceries "read list.txt"');

  await shell.runs(
    "A policy answers for you",
    'mix agent start demo "ask read notes.txt" --cwd . --policy reads --close',
  );
  await shell.runs("Nobody there to ask", 'mix agent start demo "ask write ci.txt" --cwd . --no-ask --close');
  await shell.runs(
    "An agent that is not configured",
    'mix agent start --command "my-agent --acp" hello --cwd . --close',
  );
  await shell.begins('mix agent start demo "ask form" --close');
  await shell.shows("A form", /\n[^\n]*[>:\]?] *$/);
  await shell.window.press("C-c");
  await shell.ends("Ctrl-C leaves it open");
  await shell.runs("What am I asked?", "mix agent answer");

  await shell.runs("After lunch", "mix agent");
  await shell.runs("Is this machine all right?", "mix agent doctor");
  await shell.runs("Stop the daemon", "mix agent stop");
  await shell.runs("All verbs", "mix --help");

  await expect(walk.recording()).toMatchFileSnapshot(`walk/${size.columns}.txt`);
});
