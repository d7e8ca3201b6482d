import { throughTls } from "./suite-process.ts";

/** A module of a plan, with the variant in which it runs. */
export interface PlanModule {
  readonly testModule: string;
  readonly variant?: Readonly<Record<string, string>>;
}

export interface LogEntry {
  readonly src?: string;
  readonly msg?: string;
  readonly result?: string;
  /** The name under which a picture is expected. */
  readonly upload?: string;
}

export interface ModuleInfo {
  readonly testName: string;
  readonly status: string;
  readonly result?: string;
  readonly version?: string;
}

export interface Visit {
  readonly url: string;
  readonly method: string;
}

/** The part of the suite's HTTP interface that a run needs. */
export interface SuiteApi {
  createPlan(name: string, variant: object, config: object): Promise<{ id: string; modules: readonly PlanModule[] }>;
  createModule(plan: string, module: PlanModule): Promise<string>;
  startModule(id: string): Promise<void>;
  cancelModule(id: string): Promise<void>;
  info(id: string): Promise<ModuleInfo>;
  log(id: string): Promise<readonly LogEntry[]>;
  /** Addresses that the module wants a user to open, in order, without those that were opened. */
  pendingVisits(id: string): Promise<readonly Visit[]>;
  markVisited(id: string, url: string): Promise<void>;
  upload(id: string, placeholder: string, png: Buffer): Promise<void>;
}

function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString();
}

export function createSuiteApi(api: string): SuiteApi {
  const ask = async (method: string, path: string, body?: string, type = "application/json"): Promise<unknown> => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { ...throughTls, "content-type": type },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined;
  };
  return {
    createPlan: async (planName, variant, config) =>
      Object(
        await ask("POST", `/plan?${query({ planName, variant: JSON.stringify(variant) })}`, JSON.stringify(config)),
      ),
    createModule: async (plan, { testModule, variant = {} }) => {
      const values = { test: testModule, plan, variant: JSON.stringify(variant) };
      return String(Object(await ask("POST", `/runner?${query(values)}`)).id);
    },
    startModule: async (id) => void (await ask("POST", `/runner/${id}`)),
    cancelModule: async (id) => void (await ask("DELETE", `/runner/${id}`)),
    info: async (id) => Object(await ask("GET", `/info/${id}`)),
    log: async (id) => {
      const entries = await ask("GET", `/log/${id}`);
      return Array.isArray(entries) ? entries : [];
    },
    pendingVisits: async (id) => {
      // A module that is over is no longer listed.
      const { browser = {} } = Object(await ask("GET", `/runner/${id}`).catch(() => ({})));
      return browser.urlsWithMethod ?? [];
    },
    markVisited: async (id, url) => void (await ask("POST", `/runner/browser/${id}/visit?${query({ url })}`)),
    upload: async (id, placeholder, png) => {
      const picture = `data:image/png;base64,${png.toString("base64")}`;
      await ask("POST", `/log/${id}/images/${placeholder}`, picture, "text/plain");
    },
  };
}
