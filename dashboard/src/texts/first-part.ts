/** The texts that every page shows. The other parts are listed apart (parts.ts), so that the first load has none of them. */
export const first = {
  en: () => import('./en/first.ts'),
  pt: () => import('./pt/first.ts'),
  es: () => import('./es/first.ts'),
};
