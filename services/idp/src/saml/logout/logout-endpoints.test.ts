import { loadConfig, type SamlProviderConfig } from "@postern/shared/platform/config";
import { describe, expect, it } from "vitest";
import { type EntityFacts, readMetadata } from "../metadata/read-metadata.ts";
import { bindings } from "../protocol/names.ts";
import { nowMs, sp } from "../testing/forge.ts";
import { entityOf } from "../testing/forge-metadata.ts";
import { type LogoutEndpoints, logoutEndpointsOf } from "./logout-endpoints.ts";

const [facts] = readMetadata(entityOf(), { keys: [], wanted: [sp], nowMs, maxBytes: 100_000 }).entities;

function configOf(more: object): SamlProviderConfig {
  const provider = { entity_id: sp, metadata: { file: "sp.xml" }, ...more };
  const tree = { identity: { saml: { service_providers: [provider] } } };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const [config] = loaded.config.identity.saml.service_providers;
  if (config === undefined) throw new Error("no service provider");
  return config;
}

type LogoutService = EntityFacts["logoutServices"][number];

function factsWith(logoutServices: LogoutService[]): EntityFacts {
  if (facts === undefined) throw new Error("no facts");
  return { ...facts, logoutServices };
}

const service = (binding: "redirect" | "post", responseLocation?: string): LogoutService => ({
  binding: bindings[binding],
  location: `https://sp.example.test/${binding}`,
  responseLocation,
});

const responses = (endpoints: LogoutEndpoints) => [endpoints.responseTo("redirect"), endpoints.responseTo("post")];

describe("the logout endpoints of a service provider", () => {
  it("are those of the metadata: requests by Redirect, responses by the binding of the request", () => {
    const endpoints = logoutEndpointsOf(configOf({}), facts);
    expect(endpoints.request).toEqual({ binding: "redirect", location: "https://sp.example.test/slo/redirect" });
    expect(responses(endpoints)).toEqual([
      { binding: "redirect", location: "https://sp.example.test/slo/back" },
      { binding: "post", location: "https://sp.example.test/slo/post" },
    ]);
  });

  it("use the only binding that the metadata offers", () => {
    const post = { binding: "post", location: "https://sp.example.test/post" };
    const endpoints = logoutEndpointsOf(configOf({}), factsWith([service("post")]));
    expect([endpoints.request, ...responses(endpoints)]).toEqual([post, post, post]);
    const redirect = logoutEndpointsOf(configOf({}), factsWith([service("redirect", "https://sp.example.test/back")]));
    expect(responses(redirect).map((endpoint) => endpoint?.location)).toEqual([
      "https://sp.example.test/back",
      "https://sp.example.test/back",
    ]);
  });

  it("are those of the configuration if it contains a URL", () => {
    const location = "https://other.example.test/slo";
    const endpoints = logoutEndpointsOf(configOf({ slo_url: location, slo_binding: "post" }), facts);
    expect(endpoints.request).toEqual({ binding: "post", location });
    expect(responses(endpoints)).toEqual([
      { binding: "redirect", location },
      { binding: "post", location },
    ]);
  });

  it("are absent if neither names one", () => {
    for (const none of [undefined, factsWith([])]) {
      const endpoints = logoutEndpointsOf(configOf({}), none);
      expect([endpoints.request, ...responses(endpoints)]).toEqual([undefined, undefined, undefined]);
    }
  });
});
