/** Of a language such as `en` or `pt-BR`. Without TypeBox: the dashboard checks it too. */
export const languageTagPattern = '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$';
