// SPDX-License-Identifier: MIT OR Apache-2.0
// The options that an agent offers: its mode, its model and others.
import { expect } from "vitest";
import type { SessionOption } from "../../agentd/vocabulary/index.ts";
import type { AgentHabits, ContractSetting } from "./contract-setting.ts";
import { of } from "./log-faults.ts";
import type { Row } from "./rows.ts";

export function optionRows(row: Row, habits: AgentHabits, setting: ContractSetting): void {
  const { takeIdleSession, handBack, requestsOf } = setting;

  row("options", async () => {
    const session = await takeIdleSession();
    const offered = of(await session.log(), "options").at(-1)?.options ?? [];
    expect(offered.map(({ option }) => option).toSorted()).toEqual(habits.options.toSorted());
    for (const { option, value, choices } of offered) {
      const other = choices?.find((choice) => choice.value !== value)?.value;
      if (other === undefined || typeof value !== "string") continue;
      expect(valueOf(await session.setOption(option, other), option)).toBe(other);
      expect(valueOf(of(await session.log(), "options").at(-1)?.options ?? [], option)).toBe(other);
      expect(valueOf(await session.setOption(option, value), option)).toBe(value);
    }
    const { modes, option } = habits;
    setting.workshop.model.play({ words: "work in another mode", steps: [{ text: ["In this one."] }] });
    await session.setOption("mode", modes.other);
    await session.setOption(option.name, option.other);
    expect(await (await session.prompt("work in another mode")).ended()).toMatchObject({ stop_reason: "end_turn" });
    const [asked] = requestsOf("work in another mode");
    expect(asked).toMatchObject(option.asked);
    if (modes.told !== null) expect(asked?.conversation.map(({ text }) => text).join("\n")).toMatch(modes.told);
    await session.setOption(option.name, option.start);
    await session.setOption("mode", modes.start);
    handBack(session);
    return habits.options.join(", ");
  });

  row("unknown-mode", async () => {
    const session = await setting.idleSession();
    await expect(session.setOption("mode", "no-such-mode")).rejects.toMatchObject({ code: "OPTION_UNKNOWN" });
    expect(valueOf(of(await session.log(), "options").at(-1)?.options ?? [], "mode")).toBe(habits.modes.start);
  });
}

function valueOf(options: readonly SessionOption[], name: string): unknown {
  return options.find(({ option }) => option === name)?.value;
}
