import { isLoopback } from "../../net/ip.ts";
import { recommendedSuites } from "../../net/tls-names.ts";
import { messages } from "../messages.ts";
import type { Config, OidcClientConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

function isAllowedRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
}

const methods: ReadonlySet<string> = new Set(["", "private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]);

/** The keys of a client that contradict the FAPI 2.0 Security Profile. */
function contradictions(client: OidcClientConfig): readonly string[] {
  const { client_public_key: pem, client_public_key_file: file, redirect_uris } = client;
  const conflicts = {
    client_secret: client.client_secret !== "",
    token_endpoint_auth_method: !methods.has(client.token_endpoint_auth_method),
    client_assertion_audience: client.client_assertion_audience === "any",
    client_public_key_algorithm: (pem !== "" || file !== "") && client.client_public_key_algorithm === "RS256",
    id_token_signed_response_alg: client.id_token_signed_response_alg === "RS256",
    authorization_signed_response_alg: client.authorization_signed_response_alg === "RS256",
    userinfo_signed_response_alg: client.userinfo_signed_response_alg === "RS256",
    request_object_signing_alg: ["RS256", "none", "any"].includes(client.request_object_signing_alg),
    redirect_uris: !redirect_uris.every((uri) => isAllowedRedirect(uri)),
  };
  return Object.entries(conflicts).flatMap(([name, isConflict]) => (isConflict ? [name] : []));
}

/** Names what contradicts `profile: fapi2`, of the client and of the listener. */
export function validateFapi(config: Config, path: string, client: OidcClientConfig, { problem }: Judgement): void {
  if (client.profile !== "fapi2") return;
  for (const name of contradictions(client)) problem(`${path}.${name}`, messages.contradicts(`${path}.profile`));
  const { tls } = config.runtime.servers.http;
  if (tls.enabled && tls.cipher_suites.some((name) => !recommendedSuites.includes(name))) {
    problem("runtime.servers.http.tls.cipher_suites", messages.contradicts(`${path}.profile`));
  }
}
