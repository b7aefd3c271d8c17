/** The page's own permission to add style elements; libraries that add some are handed it (see the service's policy). */
export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// What locks scrolling under dialogs looks for the nonce under the name that webpack gives it.
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;
