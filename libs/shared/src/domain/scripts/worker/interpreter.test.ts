import { expect, test } from "vitest";
import { Interpreter } from "./interpreter.ts";
import { loadLua } from "./lua-api.ts";
import { Marshal } from "./marshal.ts";

const source = "function run() while true do end end";

test("the limit is CPU time: while other programs have the cores, a script continues", async () => {
  const lua = await loadLua();
  let cpu = 0;
  let readings = 0;
  const interpreter = new Interpreter(
    { name: "loop.lua", source, entryPoints: ["run"] },
    {
      lua,
      marshal: new Marshal(lua),
      callNative: () => undefined,
      libraries: {},
      hostModules: {},
      nativeModules: {},
      memoryLimitBytes: 2 ** 24,
      cpuLimitMs: 1,
      // The thread has no core until it has been asked 20 times, each at least a millisecond after the other.
      cpuMs: () => {
        readings += 1;
        if (readings > 20) cpu = 2;
        return cpu;
      },
    },
  );
  readings = 0;
  expect(interpreter.begin(1, "run", [])).toMatchObject({ kind: "failed", failure: "cpu" });
  expect(readings).toBe(21);
});
