import { availableParallelism, loadavg } from "node:os";
import { defineConfig } from "vitest/config";

const globalSetup = ["test/support/bundle-services.ts"];
const setupFiles = ["test/support/stop-left-servers.ts"];
/** Only ends a test that would never end, as that of `poll` in test/servers. */
const expectPolls = { poll: { timeout: 60_000 } };

/**
 * Whether other work shares the machine. More files than cores run at a time, because they often wait for a server to start or a time to
 * pass; beside other work, their servers would not answer within their own deadlines.
 */
const isBusy = (loadavg()[0] ?? 0) > 2.5 * availableParallelism();

/** What the projects have in common whose files start servers. */
const withServers = {
  // As for the unit tests: each file starts servers of its own, and shares only imported modules.
  isolate: false,
  globalSetup,
  setupFiles,
  maxWorkers: isBusy ? 3 : 6,
  // On a busy machine, servers take many times as long to start.
  expect: expectPolls,
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

/** Integration tests whose subject takes seconds to pass, or that a browser repeats: outages, time-outs, pages. They run with the long tests. */
const slowFiles = "test/integration/**/*.slow.test.ts";

/** `unit` needs nothing but Node; `integration` starts real servers and the bundled services, so its files run with few workers. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          pool: "threads",
          // Importing the modules for each file again takes four times the processor time of the tests.
          isolate: false,
          // By default one core stays free, which is half of two.
          maxWorkers: availableParallelism(),
          expect: expectPolls,
          // Property tests on a busy machine.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          include: [
            "libs/*/src/**/*.test.ts",
            "services/*/src/**/*.test.ts",
            "cli/src/**/*.test.ts",
            "test/servers/**/*.test.ts",
            "tools/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: ["test/long/**", "test/servers/**", slowFiles],
          ...withServers,
        },
      },
      {
        test: {
          name: "slow",
          include: [slowFiles],
          ...withServers,
        },
      },
      {
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          // Outages of single services, and the shape of large sites.
          env: { POSTERN_SHAPE: "five" },
          globalSetup,
          setupFiles,
          expect: expectPolls,
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
