/** The version of Postern, as in package.json. */
export const version = "1.0.0";
