// The minimum of a gateway: passes a body to the bus, and the reply to the client. Usage: skeleton-gateway.ts PORT NATS_URL
import { connectBus } from "@postern/shared/platform/bus";
import Fastify from "fastify";
import { echo } from "./echo-method.ts";

const deadlineMs = 5000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const bus = await connectBus({
  servers: [process.argv[3] ?? ""],
  namespace: "bench",
  name: "skeleton-gateway",
  logger: silent,
});
const app = Fastify({ logger: false });
app.removeAllContentTypeParsers();
app.addContentTypeParser<Buffer>("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post<{ Body: Buffer }>("/*", async (request, answer) => {
  const reply = await bus.rawRequest(echo, request.body, { deadline: Date.now() + deadlineMs });
  return answer.type("application/json").send(reply);
});
await app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" });
