import { messages } from "../messages.ts";
import { checkEncryption, type Judgement } from "./checks.ts";
import { section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";
import { natsLogin, validateBus } from "./runtime-bus.ts";

export const Regions = section(
  "Other data centres with which this one shares bans, failure counts, flushes and revocations. Each has its own services, Redis and NATS. All have the same encryption_secret and password_nonce.",
  {
    name: text("Name of this region. If empty, nothing is shared.", { form: "region", example: "east" }),
    peers: texts("Names of the other regions.", { form: "region", example: ["west"] }),
    bus: section("Connection to the NATS that joins the regions.", {
      servers: texts(
        "URLs of NATS servers of this region. If empty, the servers, login and TLS settings of runtime.bus are used, and those of this section must not be set.",
        { form: "nats-url", example: ["nats://127.0.0.1:4222"] },
      ),
      namespace: text("First token of the subjects that cross between the regions; the same in all of them.", {
        default: "postern-regions",
        form: "subject-token",
        minLength: 1,
      }),
      ...natsLogin,
    }),
  },
);

const path = "runtime.regions";
const maxPeers = 8;

function checkPeers({ name, peers }: Config["runtime"]["regions"], { problem }: Judgement): void {
  if (peers.length === 0) problem(`${path}.peers`, messages.needsWhen(`${path}.name is set`));
  if (peers.length > maxPeers) problem(`${path}.peers`, messages.tooMany(maxPeers));
  peers.forEach((peer, index) => {
    const at = `${path}.peers[${index}]`;
    if (peer === name) problem(at, messages.regionIsOwn);
    else if (peers.indexOf(peer) < index) problem(at, messages.regionTwice(peer));
  });
}

export function validateRegions({ runtime, storage }: Config, judgement: Judgement): void {
  const { regions, bus: ofServices } = runtime;
  const { name, peers, bus } = regions;
  const { problem } = judgement;
  if (name === "") {
    if (peers.length > 0) problem(`${path}.name`, messages.needsWhen(`${path}.peers is not empty`));
    return;
  }
  checkPeers(regions, judgement);
  checkEncryption(storage.redis, `${path}.name is set`, judgement);
  if (bus.namespace === ofServices.namespace) problem(`${path}.bus.namespace`, messages.namespaceOfServices);
  validateBus(bus, `${path}.bus`, judgement);
  if (bus.servers.length > 0) return;
  if (ofServices.servers.length === 0) problem(`${path}.bus.servers`, messages.regionsNeedNats);
  const { username, token, credentials_file, tls } = bus;
  const hasOwn = username !== "" || token !== "" || credentials_file !== "" || tls.enabled;
  if (hasOwn) problem(`${path}.bus.servers`, messages.needsWhen(`${path}.bus has a login or TLS settings`));
}
