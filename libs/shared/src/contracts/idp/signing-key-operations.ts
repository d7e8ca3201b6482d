import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";

const family = defineFamily({
  name: "signing keys",
  prefix: "/api/v1/oidc/keys",
  owner: "idp",
  channel: "back",
  anyScope: operatorScopes,
});
const common = { family, tag: "Signing keys", audience: "management", security: "backchannel" } as const;

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

const forbidden = errorAnswer("The token lacks a required scope.");

/** Administration of the keys that sign tokens. */
export const signingKeyOperations = [
  defineOperation({
    ...common,
    method: "get",
    path: "/api/v1/oidc/keys",
    operationId: "listSigningKeys",
    summary: "List the signing keys of the identity provider",
    answers: { 200: jsonAnswer("The keys.", SigningKeyList), 403: forbidden, 500: temporaryFailure },
  }),
  defineOperation({
    ...common,
    method: "post",
    path: "/api/v1/oidc/keys/rotate",
    operationId: "rotateSigningKeys",
    summary: "Rotate the signing keys of the identity provider",
    description:
      "Generates a successor for each generated key. It is published immediately and signs after identity.oidc.key_publish_delay; its predecessor stays published until the last token that it signed has expired. While a successor waits to sign, no further one is generated. Configured keys (identity.oidc.signing_keys) are not changed.",
    answers: {
      200: jsonAnswer("The keys after the rotation.", SigningKeysRotated),
      403: forbidden,
      409: errorAnswer("Too many earlier keys are still published."),
      500: temporaryFailure,
    },
  }),
];
