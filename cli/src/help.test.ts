import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { runDirectoryCommand } from "./directory/directory-test.ts";
import { runDnsCommand } from "./dns/dns.ts";
import { runRiskCommand } from "./risk-replay/risk-replay.ts";
import { runScriptCommand } from "./script-test.ts";

const terminal = { input: new PassThrough(), output: new PassThrough() };

function usageOf(command: string) {
  return { exitCode: 0, output: expect.arrayContaining([expect.stringContaining(`usage: ${command}`)]), errors: [] };
}

test.each([[["--help"]], [["-h"]], [["test", "--help"]]])(
  "postern directory, postern script, postern risk and postern dns print their usage: %j",
  async (args) => {
    expect(await runDirectoryCommand(args, terminal)).toMatchObject(usageOf("postern directory test USER"));
    expect(await runScriptCommand(args)).toMatchObject(usageOf("postern script test FILE"));
    expect(await runRiskCommand(args, { terminal })).toMatchObject(usageOf("postern risk replay FILE"));
    expect(await runDnsCommand(args)).toMatchObject(usageOf("postern dns"));
  },
);
