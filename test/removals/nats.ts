import type { Removal } from "../../tools/removals/removal.ts";

const link = "libs/shared/src/platform/bus/link.ts";
const natsDown = "test/integration/bus/nats-down.test.ts";

/** Outages of NATS. */
export const natsRemovals: readonly Removal[] = [
  {
    name: "lost-connection",
    mechanism: "requests fail as soon as the connection to NATS is lost",
    file: link,
    find: `  if (event.type === "disconnect") state.set("disconnected");\n`,
    replace: "",
    tests: [natsDown],
    pattern: "without NATS, requests",
    rows: ["all servers stop: immediate 500"],
  },
  {
    name: "ready-with-nats",
    mechanism: "services are ready only while they are connected to NATS",
    file: "libs/shared/src/platform/bus/health.ts",
    find: "      if (!bus.isConnected()) throw",
    replace: "      if (bus.isConnected === undefined) throw",
    tests: [natsDown],
    rows: ["all servers stop: immediate 500"],
  },
  {
    name: "request-deadline",
    mechanism: "requests end at their deadline",
    file: "libs/shared/src/platform/bus/pending-table.ts",
    find: "      deadlines.insert(request, remainingMs);\n",
    replace: "      void remainingMs;\n",
    tests: [natsDown],
    pattern: "while NATS hangs",
    rows: ["NATS hangs"],
  },
  {
    name: "requests-of-lost-connection",
    mechanism: "requests that may have been lost with a connection are sent again",
    file: "libs/shared/src/platform/bus/resending.ts",
    find: "  return isLost || (isSilent",
    replace: "  return isLost === undefined || (isSilent",
    tests: ["test/integration/engines/no-engine.slow.test.ts"],
    pattern: "had not delivered when it was killed",
    rows: ["NATS dies with a request that no engine has received"],
  },
  {
    name: "cut-off-node",
    mechanism: "services leave a server of NATS at which they hear no engine",
    file: link,
    find: "  return servers.hasOthers();\n",
    replace: "  return servers.hasOthers() && servers.inOrder().length === 0;\n",
    tests: ["test/integration/bus/late-engines.slow.test.ts"],
    pattern: "whose routes",
    rows: ["a gateway is connected to a node whose routes"],
  },
  {
    name: "first-connection",
    mechanism: "services try again if the first connection to NATS fails",
    file: link,
    find: "      logError(error);\n",
    replace: "      logError(error);\n      return;\n",
    tests: ["test/integration/services/start-and-stop.test.ts"],
    pattern: "become ready when",
    rows: ["NATS is unavailable at start"],
  },
];
