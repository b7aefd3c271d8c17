/**
 * Whether the client has this version. `If-None-Match` may list several, and a proxy that compresses makes them weak
 * (`W/"…"`), which makes no difference here.
 */
export const hasVersion = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));
