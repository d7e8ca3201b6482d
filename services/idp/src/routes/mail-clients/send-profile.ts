import type { MailServices } from "@postern/shared/domain/mail-clients";
import type { FastifyReply } from "fastify";
import { appleProfile } from "../../mail-clients/apple-profile.ts";
import type { MailAddress } from "../../mail-clients/mail-address.ts";
import type { OfferedProfile } from "../../mail-clients/profile-offers-redis.ts";
import type { ProfileSigningKey } from "../../mail-clients/sign-profile.ts";

export interface ProfileSender {
  /** Undefined: profiles are not signed. */
  readonly signingKey: ProfileSigningKey | undefined;
  readonly nowMs: () => number;
}

export interface ProfileParts {
  readonly services: MailServices;
  readonly mail: MailAddress;
  readonly profile: OfferedProfile;
}

/** Sends an Apple profile, which may contain a password. The code that signs is loaded when it is needed. */
export async function sendProfile(
  reply: FastifyReply,
  { signingKey, nowMs }: ProfileSender,
  { services, mail, profile }: ProfileParts,
): Promise<FastifyReply> {
  const text = appleProfile(services, mail, profile);
  const body =
    signingKey === undefined
      ? Buffer.from(text, "utf8")
      : (await import("../../mail-clients/sign-profile.ts")).signProfile(text, signingKey, new Date(nowMs()));
  return reply
    .header("cache-control", "no-store")
    .header("x-content-type-options", "nosniff")
    .header("content-disposition", 'attachment; filename="mail.mobileconfig"')
    .type("application/x-apple-aspen-config")
    .send(body);
}
