// Fastify that answers a POST immediately: the cost of HTTP alone. Usage: bare-http.ts PORT
import Fastify from "fastify";

const reply = Buffer.from(
  JSON.stringify({ ok: true, account_field: "account", backend: 8, attributes: { uid: ["x"] } }),
);

const app = Fastify({ logger: false });
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post("/*", (_request, answer) => answer.type("application/json").send(reply));
await app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" });
