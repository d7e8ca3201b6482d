import { type Base, baseFromConfig, busFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { AppError } from "@postern/shared/errors";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/openapi";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import type { NoticesContext, NoticesParts } from "./context/notices.ts";
import { createOidcContext, type OidcContext } from "./context/oidc.ts";
import { createPagesContext, type PagesContext, type ProtocolParts } from "./context/pages.ts";
import { createSamlContext, type SamlContext } from "./context/saml.ts";
import { createSessions } from "./context/sessions.ts";
import type { FlowStarter } from "./flow/flow-port.ts";
import { createSingleLogout, type SingleLogout } from "./login/single-logout.ts";
import { createIdpMetrics } from "./metrics.ts";
import type { Pages } from "./pages/pages.ts";
import { deviceEnd } from "./routes/oidc/device.ts";
import type { BrowserSessionRecord } from "./sessions/browser-session-port.ts";
import { type IdpSettings, idpSettings } from "./settings.ts";

/** Everything that the identity provider is made of. Only this file makes any of it. */
export interface IdpContext extends Base {
  readonly settings: IdpSettings;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly health: Health;
  readonly readCaller: ReadCaller;
  /** The public contract. */
  readonly openapi: () => RenderedDocument;
  /** Absent while `identity.frontend.enabled` is off. */
  readonly pages: PagesContext | undefined;
  /** Absent while `identity.oidc.enabled` is off. */
  readonly oidc: OidcContext | undefined;
  /** Absent while `identity.saml.enabled` is off. */
  readonly saml: SamlContext | undefined;
  /** Absent where no sessions are kept. */
  readonly singleLogout: SingleLogout | undefined;
}

/** The protocols begin flows that the pages make, and the pages end flows by the protocols. */
interface Starts {
  current: FlowStarter | undefined;
  saml: SamlContext | undefined;
  pages: Pages | undefined;
}

function starterOf(starts: Starts): FlowStarter {
  return {
    startOidc: async (request, response, flow) => {
      if (starts.current === undefined) throw new AppError("CONFIG_INVALID", { detail: "identity.frontend is off" });
      return starts.current.startOidc(request, response, flow);
    },
  };
}

function protocolsOf(
  oidc: OidcContext | undefined,
  saml: SamlContext | undefined,
  singleLogout: SingleLogout | undefined,
): ProtocolParts {
  return {
    ends: {
      ...(oidc === undefined ? {} : { oidc: oidc.finish, device: deviceEnd }),
      ...(saml === undefined ? {} : { saml: saml.finish }),
    },
    onReplaced: async (session) => singleLogout?.ended(session),
    applications: oidc?.applications,
    demanders: [
      ...(oidc === undefined
        ? []
        : [async (id: string) => (await oidc.applications.list(id)).map(({ demands }) => demands)]),
      ...(saml === undefined ? [] : [saml.demandsOn]),
    ],
  };
}

/** Without signing keys no token can be made. */
function keysHealth(oidc: OidcContext | undefined) {
  if (oidc === undefined) return [];
  return [{ name: "signing keys", required: true, check: () => void oidc.generations.current() }];
}

/** What queues notices is read from disk only where they are told. */
async function noticesOf(config: Config, parts: NoticesParts): Promise<NoticesContext | undefined> {
  if (!config.identity.frontend.enabled || !config.identity.notices.enabled) return undefined;
  const { createNoticesContext } = await import("./context/notices.ts");
  return createNoticesContext(config, parts);
}

export async function createContext(config: Config): Promise<IdpContext> {
  const base = baseFromConfig(config, "idp");
  const { logger, service, instance } = base;
  const settings = idpSettings(config);
  const state = redisFromConfig(config, "state", base);
  const bus = await busFromConfig(config, base);
  const { prefix } = config.storage.redis;
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  const starts: Starts = { current: undefined, pages: undefined, saml: undefined };
  const sessions = createSessions(config, state);
  const oidcDeps = {
    ...base,
    metricsPrefix: base.prefix,
    redis: state,
    starter: starterOf(starts),
    pages: () => starts.pages,
    onClosed: async (session: BrowserSessionRecord) => starts.saml?.logout.sessionEnded(session),
  };
  const oidc = sessions === undefined ? undefined : createOidcContext(config, { ...oidcDeps, sessions });
  const onEnded = async (session: BrowserSessionRecord): Promise<void> => oidc?.endSessions.ended(session);
  const saml = sessions === undefined ? undefined : createSamlContext(config, { base, state, sessions, onEnded });
  starts.saml = saml;
  const singleLogout =
    sessions === undefined ? undefined : createSingleLogout({ sessions, oidc: oidc?.endSessions, saml: saml?.logout });
  const protocols = protocolsOf(oidc, saml, singleLogout);
  const metrics = createIdpMetrics(base.metrics, base.prefix);
  const notices = await noticesOf(config, { base, bus, state, metrics });
  const pages = createPagesContext({ config, base, bus, state, protocols, metrics, notices });
  starts.current = pages?.login.starts;
  starts.pages = pages?.login.pages;
  return {
    ...base,
    pages,
    oidc,
    saml,
    singleLogout,
    settings,
    bus,
    state,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "idp")),
    openapi: lazyOpenapi("idp", config),
    health: createHealth({
      checks: [
        { name: "bus", required: false, check: assertConnected },
        ...keysHealth(oidc),
        redisHealth({ client: state, role: "state", required: true, prefix, service, instance }),
      ],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
  };
}
