/** The version of Postern, as in package.json. */
export const version = "0.1.0";
