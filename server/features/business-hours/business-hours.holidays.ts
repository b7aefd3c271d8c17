/** Public holidays of a country. The library is loaded with the first question: it has the rules of the world. */

import type { Holidays } from '../../../contract/business-hours.ts';
import { badRequest } from '../../platform/http/errors.ts';

const load = async () => (await import('date-holidays')).default;

export async function listCountries(): Promise<{ code: string; name: string }[]> {
  const Library = await load();
  return Object.entries(new Library().getCountries('en'))
    .map(([code, name]) => ({ code, name }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

interface Asked {
  country: string;
  year: number;
  language?: string;
}

/** Days off by law, by date. One that lasts several days is several dates. */
export async function listHolidays({ country, year, language }: Asked): Promise<Holidays['items']> {
  const Library = await load();
  const code = country.toUpperCase();
  if (!Object.hasOwn(new Library().getCountries(), code)) {
    throw badRequest('country has no known holidays: GET /business-hours/countries lists those that have');
  }
  const calendar = new Library(code, { types: ['public'] });
  const languages = language ? [language, ...calendar.getLanguages()] : calendar.getLanguages();
  const names = new Map<string, string>();
  for (const { date, start, end, name } of calendar.getHolidays(year, languages[0])) {
    const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / 86_400_000));
    const first = Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
    for (let day = 0; day < days; day++) {
      const text = new Date(first + day * 86_400_000).toISOString().slice(0, 10);
      if (!names.has(text)) names.set(text, name);
    }
  }
  return [...names].map(([date, name]) => ({ date, name })).sort((a, b) => (a.date < b.date ? -1 : 1));
}
