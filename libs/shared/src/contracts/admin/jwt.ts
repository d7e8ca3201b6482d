import { type Static, Type } from "typebox";
import { maxUserNameLength } from "../auth/user-name.ts";

/** Body of `POST /api/v1/jwt/token`. */
export const JwtTokenRequest = Type.Object({
  username: Type.String({ minLength: 1, maxLength: maxUserNameLength }),
  password: Type.String({ minLength: 1, maxLength: 4096 }),
});
export type JwtTokenRequest = Static<typeof JwtTokenRequest>;

/** Answer of `POST /api/v1/jwt/token` and `/api/v1/jwt/refresh`. */
export const JwtTokenResponse = Type.Object({
  token: Type.String(),
  expires_at: Type.Integer({ description: "Expiry, in seconds since the epoch." }),
  refresh_token: Type.String(),
});
export type JwtTokenResponse = Static<typeof JwtTokenResponse>;
