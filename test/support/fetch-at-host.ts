import { once } from "node:events";
import { request } from "node:http";

/** Sends a GET for another host than the one in the URL; `fetch` sets the `Host` header itself. */
export async function fetchAtHost(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const sent = request(url, { headers });
  sent.end();
  const [answer] = await once(sent, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
  return new Response(Buffer.concat(chunks), { status: answer.statusCode, headers: Object.fromEntries(received) });
}
