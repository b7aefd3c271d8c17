/** A part in another language: the keys of the English one, none missing and none more. */
export type Translated<English> = { readonly [key in keyof English]: string };
