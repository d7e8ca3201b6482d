import { validatedOperations } from "../../../contracts/admin/flush-operations.ts";
import { parseHostPort } from "../../net/host-port.ts";
import { isLoopback } from "../../net/ip.ts";
import { tls12Suites, tlsGroups } from "../../net/tls-names.ts";
import { messages } from "../messages.ts";
import { nearestName } from "../nearest-name.ts";
import type { Config } from "../schema/root.ts";
import { validateClientCertificates } from "./client-certificates.ts";
import type { Judgement } from "./judgement.ts";
import { validateProxyProtocol } from "./proxy-protocol.ts";

const takenSegments = new Set(["json", "cbor", "header", "basic"]);

export function validateRuntime(config: Config, judgement: Judgement): void {
  validateHttp(config, judgement);
  validateProxyProtocol(config, judgement);
  validateClientCertificates(config, judgement);
  validateOperations(config, judgement);
  validateGrpc(config, judgement);
  validateNaming(config, judgement);
  validateBus(config, judgement);
  const { services, developer_mode } = config.runtime;
  if (services.caller_assertion.secret === "") {
    judgement.warning("runtime.services.caller_assertion.secret", messages.noAssertionSecret);
  }
  if (developer_mode) judgement.warning("runtime.developer_mode", messages.developerMode);
}

function validateOperations(config: Config, { problem }: Judgement): void {
  config.runtime.servers.http.openapi_validation.operations.forEach((name, index) => {
    if (validatedOperations.includes(name)) return;
    const near = nearestName(name, validatedOperations);
    const hint = near === undefined ? undefined : messages.didYouMean(near);
    problem(`runtime.servers.http.openapi_validation.operations[${index}]`, messages.notValidated(name), hint);
  });
}

function validateHttp(config: Config, { problem }: Judgement): void {
  const { rate_limit, tls } = config.runtime.servers.http;
  if (rate_limit.burst < rate_limit.per_second) {
    problem("runtime.servers.http.rate_limit.burst", messages.burstBelowRate);
  }
  for (const name of ["cert", "key"] as const) {
    if (tls.enabled && tls[name] === "") {
      problem(`runtime.servers.http.tls.${name}`, messages.needsWhen("runtime.servers.http.tls.enabled is true"));
    }
  }
  if (!tls.enabled) return;
  const lists = { cipher_suites: Object.keys(tls12Suites), curves: tlsGroups };
  for (const name of ["cipher_suites", "curves"] as const) {
    if (tls[name].some((word) => !lists[name].includes(word))) {
      problem(`runtime.servers.http.tls.${name}`, messages.notServed(lists[name].join(", ")));
    }
  }
}

/** Callers send passwords here, so without TLS only this machine may connect. */
function validateGrpc(config: Config, { problem }: Judgement): void {
  const { enabled, address, tls } = config.runtime.servers.grpc.authority;
  const root = "runtime.servers.grpc.authority";
  if (!enabled) return;
  if (!tls.enabled) {
    const host = parseHostPort(address)?.host;
    if (host !== undefined && !isLoopback(host)) problem(`${root}.address`, messages.plainOnLoopback);
    return;
  }
  for (const name of ["cert", "key"] as const) {
    if (tls[name] === "") problem(`${root}.tls.${name}`, messages.needsWhen(`${root}.tls.enabled is true`));
  }
  if (tls.require_client_cert && tls.client_ca === "") {
    problem(`${root}.tls.client_ca`, messages.needsWhen(`${root}.tls.require_client_cert is true`));
  }
}

function validateNaming(config: Config, { problem }: Judgement): void {
  const { proxy_segment, sasl_segment } = config.runtime.naming;
  if (takenSegments.has(proxy_segment)) problem("runtime.naming.proxy_segment", messages.segmentTaken);
  if (takenSegments.has(sasl_segment)) problem("runtime.naming.sasl_segment", messages.segmentTaken);
  if (proxy_segment === sasl_segment) problem("runtime.naming.sasl_segment", messages.sameSegment);
}

function validateBus(config: Config, { problem }: Judgement): void {
  const { username, password, token, credentials_file, tls } = config.runtime.bus;
  const logins = [username, token, credentials_file].filter((login) => login !== "");
  if (logins.length > 1) problem("runtime.bus", messages.oneNatsLogin);
  if (password !== "" && username === "") {
    problem("runtime.bus.username", messages.needsWhen("runtime.bus.password is set"));
  }
  if (tls.cert !== "" && tls.key === "") problem("runtime.bus.tls.cert", messages.pairOfFiles("runtime.bus.tls.key"));
  if (tls.key !== "" && tls.cert === "") problem("runtime.bus.tls.key", messages.pairOfFiles("runtime.bus.tls.cert"));
}
