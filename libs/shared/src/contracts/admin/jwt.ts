import { type Static, Type } from "typebox";

/** Body of `POST /api/v1/jwt/token`. */
export const JwtTokenRequest = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 255 }),
  password: Type.String({ minLength: 1, maxLength: 4096 }),
});
export type JwtTokenRequest = Static<typeof JwtTokenRequest>;

/** Contract, "JWT token response": the answer of `POST /api/v1/jwt/token` and `/api/v1/jwt/refresh`. */
export const JwtTokenResponse = Type.Object({
  token: Type.String(),
  expires_at: Type.Integer({ description: "Unix time" }),
  refresh_token: Type.String(),
});
export type JwtTokenResponse = Static<typeof JwtTokenResponse>;
