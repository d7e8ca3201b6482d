import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";
import { component, texts, time } from "../schema.ts";

const signingKeys = operatorApi({ name: "signing keys", prefix: "/api/v1/oidc/keys", owner: "idp" }, "Signing keys", {
  403: errorAnswer("The token lacks a required scope."),
});

/** A key of the identity provider's key set, without its private part. */
const SigningKeyListed = component("SigningKey", {
  kid: Type.String(),
  source: Type.Enum(["generated", "configured"], {
    description: "Whether Postern generated the key or the configuration contains it.",
  }),
  algorithms: texts("Algorithms whose signatures the key can verify."),
  signs: texts("Algorithms for which the key signs now. Empty for others."),
  created: Type.Optional(time("Absent for configured keys.")),
  signs_from: Type.Optional(time("Time from which a published key will sign.")),
});

export type SigningKeyListed = Static<typeof SigningKeyListed>;

export const SigningKeyList = component("SigningKeyList", { keys: Type.Array(SigningKeyListed) });

export const SigningKeysRotated = component("SigningKeysRotated", {
  created: texts("`kid` of the new keys. Empty if successors wait already."),
  keys: Type.Array(SigningKeyListed),
});

export const signingKeyOperations = [
  signingKeys("get", "/api/v1/oidc/keys", "listSigningKeys", {
    summary: "List the signing keys of the identity provider",
    answers: { 200: jsonAnswer("The keys.", SigningKeyList) },
  }),
  signingKeys("post", "/api/v1/oidc/keys/rotate", "rotateSigningKeys", {
    summary: "Rotate the signing keys of the identity provider",
    description:
      "Generates a successor for each generated key. It is published immediately and signs after identity.oidc.key_publish_delay; its predecessor stays published until the last token that it signed has expired. While a successor waits to sign, no further one is generated. Configured keys (identity.oidc.signing_keys) are not changed.",
    answers: {
      200: jsonAnswer("The keys after the rotation.", SigningKeysRotated),
      409: errorAnswer("Too many earlier keys are still published."),
    },
  }),
];
