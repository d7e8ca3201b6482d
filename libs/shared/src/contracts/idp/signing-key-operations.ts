import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";

const signingKeys = operatorApi({ name: "signing keys", prefix: "/api/v1/oidc/keys", owner: "idp" }, "Signing keys", {
  403: errorAnswer("The token lacks a required scope."),
});

/** A key of the identity provider's key set, without its private part. */
const SigningKeyListed = Type.Object(
  {
    kid: Type.String(),
    source: Type.Enum(["generated", "configured"], {
      description: "Whether Postern generated the key or the configuration contains it.",
    }),
    algorithms: Type.Array(Type.String(), { description: "Algorithms whose signatures the key can verify." }),
    signs: Type.Array(Type.String(), { description: "Algorithms for which the key signs now. Empty for others." }),
    created: Type.Optional(Type.String({ format: "date-time", description: "Absent for configured keys." })),
    signs_from: Type.Optional(
      Type.String({ format: "date-time", description: "Time from which a published key will sign." }),
    ),
  },
  { title: "SigningKey" },
);

export type SigningKeyListed = Static<typeof SigningKeyListed>;

export const SigningKeyList = Type.Object({ keys: Type.Array(SigningKeyListed) }, { title: "SigningKeyList" });

export const SigningKeysRotated = Type.Object(
  {
    created: Type.Array(Type.String(), { description: "`kid` of the new keys. Empty if successors wait already." }),
    keys: Type.Array(SigningKeyListed),
  },
  { title: "SigningKeysRotated" },
);

/** Administration of the keys that sign tokens. */
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
