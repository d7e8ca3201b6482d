import { type LoadOptions, loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { explainKey } from "./explain.ts";

function load(text: string, env: LoadOptions["env"] = {}) {
  const result = loadConfig({ text, env, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

test("a key is explained with its value and where it comes from", () => {
  const loaded = load("", { SERVICE_RUNTIME_TIMEOUTS_DECISION: "1500ms" });
  expect(explainKey("runtime.timeouts.decision", loaded)).toMatchObject({
    kind: "key",
    type: "duration, at least 50ms",
    defaultValue: "5s",
    environment: "SERVICE_RUNTIME_TIMEOUTS_DECISION",
    reload: "live",
    secret: false,
    value: "1500ms",
    source: { kind: "environment", name: "SERVICE_RUNTIME_TIMEOUTS_DECISION" },
  });
});

test("a key inside a list is explained by its position", () => {
  expect(explainKey("auth.backends.ldap.search[0].base_dn")).toMatchObject({ kind: "key", defaultValue: undefined });
});

test("a section lists its keys", () => {
  expect(explainKey("auth.upstreams.imap")).toMatchObject({
    kind: "section",
    keys: ["auth.upstreams.imap.address", "auth.upstreams.imap.port"],
  });
});

test("an accepted key says that it has no effect", () => {
  expect(explainKey("identity.frontend.encryption_secret")).toMatchObject({ kind: "accepted" });
});

test("an unknown key names the nearest one", () => {
  expect(explainKey("runtime.timeouts.decison")).toEqual({
    kind: "unknown",
    path: "runtime.timeouts.decison",
    near: "runtime.timeouts.decision",
  });
});
