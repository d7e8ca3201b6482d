import { Agent, request } from "node:http";
import { basicAuthorization } from "./wrk.ts";

/** The length of one list in bytes. */
function list(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      authorization: basicAuthorization,
    };
    const sent = request(`${url}?mode=list-accounts`, { method: "POST", agent, headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`the accounts were not listed: ${response.statusCode}`));
      });
    });
    sent.once("error", reject);
    sent.end("{}");
  });
}

/** Reads the list of all accounts again and again, until the time is over and the last one is complete. @returns their number */
export async function listAgain(url: string, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const until = performance.now() + seconds * 1000;
  let lists = 0;
  try {
    while (performance.now() < until) {
      if ((await list(agent, url)) < 1_000_000) throw new Error("the list of accounts is too short");
      lists += 1;
    }
  } finally {
    agent.destroy();
  }
  return lists;
}
