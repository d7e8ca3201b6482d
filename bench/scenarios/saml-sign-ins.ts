import { runSignIns } from "../generator/sign-ins.ts";
import { measureRow, type Row, rounds } from "../measure/row.ts";
import { startSamlBench } from "../stack/saml.ts";
import type { Servers } from "../stack/servers.ts";

const connections = 16;
const warmSeconds = 1.5;
const windowSeconds = 0.5;
/** More than one core can sign in that time. */
const maxRequests = 3000;

/**
 * Signed requests of signed-in users → assertion and response, both signed with RSA-2048, by one replica.
 */
export async function measureSamlSignIns(servers: Servers): Promise<Row> {
  await using saml = await startSamlBench(servers);
  const waiting = [...(await saml.signIns(maxRequests))];
  const generate = async (seconds: number) => {
    const report = await runSignIns(saml.port, waiting, { connections, seconds });
    waiting.splice(0, report.used);
    return report;
  };
  return await measureRow(
    {
      id: "saml",
      title: "SAML sign-in, RSA-2048, one replica",
      connections,
      processes: [{ role: "engine", pid: saml.idp.pid }, ...servers.processes],
      windowSeconds,
      warmSeconds,
      generate,
      verify: ({ refused }) => {
        if (refused > 0) throw new Error(`${refused} sign-ins were not answered with a response`);
      },
    },
    rounds,
  );
}
