import { channel } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { type Config, loadConfig } from "@postern/shared/platform/config";
import { sharedBy } from "@postern/shared/platform/lifecycle";
import { createContext as createAdminContext } from "../../../services/admin/src/context.ts";
import { createAdmin } from "../../../services/admin/src/server.ts";
import { createContext as createGatewayContext } from "../../../services/gateway/src/context.ts";
import { createGateway } from "../../../services/gateway/src/server.ts";
import { createContext as createIdpContext } from "../../../services/idp/src/context.ts";
import { createIdp } from "../../../services/idp/src/server.ts";

/** A route as Fastify reports it. */
export interface RegisteredRoute {
  readonly service: "gateway" | "admin" | "idp";
  readonly method: string;
  readonly url: string;
}

interface Server {
  close(): Promise<unknown>;
}

interface Observed {
  readonly addHook: (name: "onRoute", hook: (route: { method: string | string[]; url: string }) => void) => void;
}

function isObserved(value: unknown): value is Observed {
  return typeof value === "object" && value !== null && "addHook" in value;
}

const initialization = channel("fastify.initialization");

/** Collects the routes registered while a server is created; Fastify reports itself before the first one. */
async function routesOf(service: RegisteredRoute["service"], make: () => Promise<Server>): Promise<RegisteredRoute[]> {
  const routes: RegisteredRoute[] = [];
  const watch = (message: unknown): void => {
    const { fastify } = Object(message);
    if (!isObserved(fastify)) throw new Error("Fastify did not report itself");
    fastify.addHook("onRoute", ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ service, method: one, url });
    });
  };
  initialization.subscribe(watch);
  try {
    const server = await make();
    await server.close();
  } finally {
    initialization.unsubscribe(watch);
  }
  return routes;
}

function configOf(file: string): Config {
  const text = readFileSync(file, "utf8");
  const loaded = loadConfig({
    text,
    env: { SERVICE_OBSERVABILITY_LOG_LEVEL: "error" },
    readFile: (path) => readFileSync(path, "utf8"),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

/** Every route of the services that answer HTTP, as created with this configuration. They do not listen. */
export async function registeredRoutes(configFile: string): Promise<readonly RegisteredRoute[]> {
  const config = configOf(configFile);
  const shared = sharedBy(["gateway"], Promise.resolve(), true);
  const idp = await createIdpContext(config, shared);
  const admin = await createAdminContext(config, shared);
  const gateway = await createGatewayContext(config, shared);
  try {
    return [
      ...(await routesOf("idp", () => createIdp(idp))),
      ...(await routesOf("admin", () => createAdmin(admin))),
      ...(await routesOf("gateway", () => createGateway(gateway))),
    ];
  } finally {
    for (const part of [gateway.upstreams, gateway.engineWatch, gateway.callerTokens, admin.hooks, admin.passwords]) {
      await part.close();
    }
    for (const { bus } of [idp, admin, gateway]) await bus.drain();
    for (const client of [idp.state, admin.state, admin.cache, admin.queue, gateway.state]) client.disconnect();
  }
}
