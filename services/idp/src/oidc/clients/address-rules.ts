import type { OidcClientConfig } from "@postern/shared/platform/config";
import { isLoopback } from "@postern/shared/platform/net";
import type Provider from "oidc-provider";

type ApplicationType = "web" | "native";

interface AddressRules {
  /** Undefined if it is not stated. */
  readonly applicationType: ApplicationType | undefined;
  readonly isPublic: boolean;
}

interface AskingClient extends AddressRules {
  readonly isRegistered: boolean;
  readonly config: { readonly skip_consent: boolean };
}

/** Member of a client's metadata for the provider: the type that is stated, which its own `application_type` cannot omit. */
export const statedType = "service_application_type";

const loopback = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)(.*)$/;

/** A loopback address without its port; undefined for any other address. */
function withoutPort(uri: string): string | undefined {
  const [, origin, rest] = loopback.exec(uri) ?? [];
  return origin === undefined || !URL.canParse(uri) ? undefined : `${origin}${rest}`;
}

function isPrivateScheme(uri: string): boolean {
  return !/^https?:/i.test(uri);
}

/** Whether any program of the user's device can receive what is sent to the address. */
function staysOnDevice(uri: string): boolean {
  return isPrivateScheme(uri) || isLoopback(URL.parse(uri)?.hostname ?? "");
}

/**
 * Exact comparison (RFC 9700 §2.1), except for the port of a native application's loopback address (RFC 8252 §7.3). Each address
 * has its own rule, whatever else the client has registered. A confidential client is a website unless it says otherwise.
 */
export function permitsAddress(
  { applicationType, isPublic }: AddressRules,
  registered: readonly string[],
  requested: string,
): boolean {
  if (registered.includes(requested)) return true;
  const mayBeNative = applicationType === "native" || (applicationType === undefined && isPublic);
  const plain = mayBeNative ? withoutPort(requested) : undefined;
  return plain !== undefined && registered.some((uri) => withoutPort(uri) === plain);
}

/**
 * Whether the user consents at every sign-in that leads to this address: another program of the device could receive it, or
 * pretend to be the client (RFC 8252 §8.6). The site may vouch for a client that it configured, but not for one that registered itself.
 */
export function asksEachTime(
  { isPublic, isRegistered, applicationType, config }: AskingClient,
  redirectUri: string,
): boolean {
  if (!isPublic || config.skip_consent) return false;
  if (isRegistered && applicationType === "native") return true;
  return staysOnDevice(redirectUri) && (isRegistered || applicationType !== "web");
}

type Metadata = Readonly<Record<string, unknown>>;

function statedIn(metadata: Metadata): ApplicationType | undefined {
  const stated = metadata[statedType];
  return stated === "web" || stated === "native" ? stated : undefined;
}

/** The type by whose rules the provider validates an address. */
function validatedAs(stated: ApplicationType | undefined, uri: string): ApplicationType {
  return stated ?? (isPrivateScheme(uri) || withoutPort(uri) !== undefined ? "native" : "web");
}

/** The provider knows one type for all addresses of a client, and would refuse those of the other. */
function validateEach({ Client }: Pick<Provider, "Client">): void {
  const { prototype } = Reflect.get(Client, "Schema");
  const validate: unknown = Reflect.get(prototype, "redirectUris");
  if (typeof validate !== "function") throw new TypeError("redirectUris is not a method");
  prototype.redirectUris = function validateAddresses(
    this: Metadata & { readonly redirect_uris: readonly string[] },
    uris = this.redirect_uris,
    label = "redirect_uris",
  ) {
    const stated = statedIn(this);
    for (const uri of uris) {
      const ofThis: object = Object.create(this, { application_type: { value: validatedAs(stated, uri) } });
      Reflect.apply(validate, ofThis, [[uri], label]);
    }
  };
}

type ProviderClient = InstanceType<Provider["Client"]>;

function rulesOf(client: ProviderClient): AddressRules {
  return { applicationType: statedIn(Object(client)), isPublic: client.clientAuthMethod === "none" };
}

function allowsRedirect(this: ProviderClient, uri: string): boolean {
  return permitsAddress(rulesOf(this), this.redirectUris ?? [], uri);
}

function allowsPostLogout(this: ProviderClient, uri: string): boolean {
  return permitsAddress(rulesOf(this), this.postLogoutRedirectUris ?? [], uri);
}

/** Every provider has its own Client class; the library's certification suite replaces its methods the same way. */
export function judgeEachAddress(provider: Pick<Provider, "Client">): void {
  validateEach(provider);
  const { prototype } = provider.Client;
  prototype.redirectUriAllowed = allowsRedirect;
  prototype.postLogoutRedirectUriAllowed = allowsPostLogout;
}

/** The page of an application that starts a sign-in (OpenID Connect Core §4); undefined if it has none. */
export function startAddress(
  { initiate_login_uri: uri, initiate_login_target: target }: OidcClientConfig,
  issuer: string,
): string | undefined {
  if (uri === "") return undefined;
  const url = new URL(uri);
  url.searchParams.set("iss", issuer);
  if (target !== "") url.searchParams.set("target_link_uri", target);
  return url.href;
}
