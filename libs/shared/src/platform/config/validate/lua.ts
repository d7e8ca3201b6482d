import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const controls = "auth.controls.lua";
const backend = "auth.backends.lua.backend";

export function validateLua(config: Config, { problem }: Judgement): void {
  const { lua } = config.auth.controls;
  const { search, default: pool } = config.auth.backends.lua.backend;
  const routes = new Set<string>();
  lua.hooks.forEach(({ http_location, http_method, public: isPublic, scopes }, index) => {
    const at = `${controls}.hooks[${index}]`;
    const route = `${http_method} ${http_location}`;
    if (!/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/.test(http_location))
      problem(`${at}.http_location`, messages.hookPath);
    if (routes.has(route)) problem(`${at}.http_location`, messages.hookTwice);
    if (isPublic && scopes.length > 0) problem(`${at}.scopes`, messages.publicWithScopes);
    routes.add(route);
  });
  for (const kind of ["environment", "subject", "actions"] as const) {
    const names = lua[kind].map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) < index) problem(`${controls}.${kind}[${index}].name`, messages.userTwice);
    });
  }
  const isBackendEnabled = config.auth.backends.order.some((entry) => entry.trim() === "lua");
  if (isBackendEnabled && pool.backend_script_path === "") {
    problem(`${backend}.default.backend_script_path`, messages.needsWhen("auth.backends.order contains lua"));
  }
  const served = new Set<string>();
  search.forEach(({ protocol }, index) => {
    const twice = protocol.find((one) => served.has(one));
    if (twice !== undefined) problem(`${backend}.search[${index}].protocol`, messages.protocolTwice(twice));
    for (const one of protocol) served.add(one);
  });
}
