import { type Html, html } from './html.ts';

/** The words of the pages themselves. A language without words of its own gets the English ones. */
export interface Texts {
  search: string;
  searchIn(name: string): string;
  results(q: string): string;
  nothingFound(q: string): string;
  tooShort: string;
  articles(count: number): string;
  empty: string;
  home: string;
  path: string;
  languages: string;
  updated: string;
  helpful: string;
  yes: string;
  no: string;
  thanks: string;
  contact: string;
  previous: string;
  next: string;
  notFound: string;
  notFoundText: string;
  tooMany: string;
  tooManyText: string;
  skip: string;
}

const en: Texts = {
  search: 'Search',
  searchIn: (name) => `Search ${name}`,
  results: (q) => `Results for “${q}”`,
  nothingFound: (q) => `Nothing was found for “${q}”. Try other words.`,
  tooShort: 'Enter what you are looking for.',
  articles: (count) => (count === 1 ? '1 article' : `${count} articles`),
  empty: 'There are no articles here yet.',
  home: 'Home',
  path: 'Path',
  languages: 'Languages',
  updated: 'Updated on',
  helpful: 'Was this helpful?',
  yes: 'Yes',
  no: 'No',
  thanks: 'Thank you for your feedback.',
  contact: 'Contact us',
  previous: 'Previous page',
  next: 'Next page',
  notFound: 'Page not found',
  notFoundText: 'This page does not exist, or is no longer published.',
  tooMany: 'Too many requests',
  tooManyText: 'Please wait a minute, then try again.',
  skip: 'Skip to the content',
};

const es: Texts = {
  search: 'Buscar',
  searchIn: (name) => `Buscar en ${name}`,
  results: (q) => `Resultados para «${q}»`,
  nothingFound: (q) => `No se encontró nada para «${q}». Prueba con otras palabras.`,
  tooShort: 'Escribe lo que buscas.',
  articles: (count) => (count === 1 ? '1 artículo' : `${count} artículos`),
  empty: 'Todavía no hay artículos aquí.',
  home: 'Inicio',
  path: 'Ruta',
  languages: 'Idiomas',
  updated: 'Actualizado el',
  helpful: '¿Te resultó útil?',
  yes: 'Sí',
  no: 'No',
  thanks: 'Gracias por tu opinión.',
  contact: 'Contáctanos',
  previous: 'Página anterior',
  next: 'Página siguiente',
  notFound: 'Página no encontrada',
  notFoundText: 'Esta página no existe o ya no está publicada.',
  tooMany: 'Demasiadas solicitudes',
  tooManyText: 'Espera un minuto y vuelve a intentarlo.',
  skip: 'Ir al contenido',
};

const pt: Texts = {
  search: 'Buscar',
  searchIn: (name) => `Buscar em ${name}`,
  results: (q) => `Resultados para “${q}”`,
  nothingFound: (q) => `Nada foi encontrado para “${q}”. Tente outras palavras.`,
  tooShort: 'Digite o que você procura.',
  articles: (count) => (count === 1 ? '1 artigo' : `${count} artigos`),
  empty: 'Ainda não há artigos aqui.',
  home: 'Início',
  path: 'Caminho',
  languages: 'Idiomas',
  updated: 'Atualizado em',
  helpful: 'Isto foi útil?',
  yes: 'Sim',
  no: 'Não',
  thanks: 'Obrigado pela sua opinião.',
  contact: 'Fale conosco',
  previous: 'Página anterior',
  next: 'Próxima página',
  notFound: 'Página não encontrada',
  notFoundText: 'Esta página não existe ou não está mais publicada.',
  tooMany: 'Muitas solicitações',
  tooManyText: 'Espere um minuto e tente de novo.',
  skip: 'Ir para o conteúdo',
};

const all: Readonly<Record<string, Texts>> = { en, es, pt };

export interface Words {
  texts: Texts;
  /** Of these texts. */
  language: string;
  /** An attribute for where the page has them, if they are in another language than the page. */
  mark: Html | false;
}

export function textsOf(language: string): Words {
  const base = language.split('-', 1)[0]!;
  const texts = all[base];
  if (texts) return { texts, language: base, mark: false };
  return { texts: en, language: 'en', mark: html` lang="en" dir="ltr"` };
}

export function isRightToLeft(language: string): boolean {
  try {
    return rightToLeft.has(new Intl.Locale(language).maximize().script ?? '');
  } catch {
    // A tag such as en-12 is none of the standard.
    return false;
  }
}

const rightToLeft: ReadonlySet<string> = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);
