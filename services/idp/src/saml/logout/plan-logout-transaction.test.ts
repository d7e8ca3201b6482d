import { loadConfig } from "@postern/shared/platform/config";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createProviders } from "../providers.ts";
import { samlSettings } from "../saml-settings.ts";
import { type PlanDeps, servicesOf } from "./logout.ts";

const configured = ["urn:test:wiki", "https://Tracker.example.test/", "urn:test:forum"];

const withoutMetadata = configured.map((entityId, index) => ({
  entity_id: entityId,
  acs_url: `https://sp${index}.example.test/acs`,
  slo_url: `https://sp${index}.example.test/slo`,
}));

/** No metadata is loaded. */
function planDeps(providers: readonly object[], slo: object): PlanDeps {
  const tree = { identity: { saml: { slo, service_providers: providers } } };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const settings = samlSettings(loaded.config);
  const samlProviders = createProviders(settings.saml, () => undefined, { now: () => 0 }, settings.mfaPolicy);
  return { settings: () => settings, providers: () => samlProviders };
}

const participant = (entityId: string, sessionIndex = "_1") => ({
  entityId,
  sessionIndex,
  nameId: { format: "transient", value: "n" },
});

describe("the service providers of a logout", () => {
  it("are notified and shown in the order of the configuration, whatever the order of the entries in Redis", () => {
    const joined = [
      participant("urn:test:wiki"),
      participant("https://tracker.example.test", "_1"),
      participant("https://tracker.example.test", "_2"),
      participant("urn:test:forum"),
      participant("urn:test:gone"),
      participant("urn:test:left"),
    ];
    const deps = planDeps(withoutMetadata, { max_participants: 2 });
    fc.assert(
      fc.property(fc.shuffledSubarray(joined, { minLength: joined.length }), (shuffled) => {
        const services = servicesOf(deps, shuffled, true);
        expect(services.map(({ channel: _channel, ...one }) => one)).toEqual(joined);
        expect(services.map(({ channel }) => channel)).toEqual(["browser", "browser", "none", "none", "none", "none"]);
      }),
    );
  });

  it("are notified over SOAP, with or without a browser, if their endpoint for it is configured and their metadata is not loaded yet", () => {
    const url = "https://sp.example.test/slo/soap";
    const providers = [{ entity_id: "urn:test:wiki", metadata: { file: "sp.xml" }, slo_back_channel_url: url }];
    const channels = (slo: object, hasBrowser: boolean) =>
      servicesOf(planDeps(providers, slo), [participant("urn:test:wiki")], hasBrowser).map(({ channel }) => channel);
    const enabled = { back_channel_enabled: true };
    expect([channels(enabled, true), channels(enabled, false)]).toEqual([["soap"], ["soap"]]);
    expect(channels({}, true)).toEqual(["none"]);
  });

  it("are not notified over SOAP if no endpoint for it is known", () => {
    const providers = [{ entity_id: "urn:test:wiki", metadata: { file: "sp.xml" } }];
    const deps = planDeps(providers, { back_channel_enabled: true });
    expect(servicesOf(deps, [participant("urn:test:wiki")], true).map(({ channel }) => channel)).toEqual(["none"]);
  });
});
