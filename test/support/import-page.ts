/** The dashboard's import as a person uses it, step by step. */
import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

export interface UploadedFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export const csvFile = (name: string, buffer: Buffer): UploadedFile => ({
  name,
  mimeType: 'text/csv',
  buffer,
});
/** As Excel in Western Europe and Brazil saves a CSV file. */
export const excelFile = (name: string, lines: readonly string[]): UploadedFile =>
  csvFile(name, Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'));

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 2, name }).waitFor({ timeout: 60_000 });

/** By the button and the system's own dialog. */
export async function chooseFile(page: Page, file: UploadedFile): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles(file);
  await heading(page, 'Match the columns');
}

export const targetOf = (page: Page, column: string) =>
  page.getByRole('combobox', { name: `What ${column} becomes` });

export async function mapColumn(page: Page, column: string, target: string): Promise<void> {
  const box = targetOf(page, column);
  if ((await box.textContent()) === target) return;
  const kept = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
  await box.click();
  await page.getByRole('option', { name: target, exact: true }).click();
  await kept;
}

export async function choose(page: Page, label: string | RegExp, option: string | RegExp): Promise<void> {
  const kept = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
  await kept;
}

export async function onDuplicates(page: Page, action: string, by: string): Promise<void> {
  const radio = page.getByRole('radio', { name: action });
  if (!(await radio.isChecked())) {
    const kept = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
    // Shown a moment after the click, from the page's state: `check` would look in between.
    await radio.click();
    await kept;
    await eventually(() => radio.isChecked());
  }
  const box = page.getByRole('combobox', { name: 'Match by' });
  if ((await box.textContent()) !== by) await choose(page, 'Match by', by);
}

export async function goToCheck(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('region', { name: 'Preview of the first rows' }).waitFor({ timeout: 60_000 });
}

/** The numbers of the result on the page. */
export async function counts(page: Page): Promise<{ [name: string]: number }> {
  const terms = await page.locator('dl dt').allTextContents();
  const values = await page.locator('dl dd').allTextContents();
  return Object.fromEntries(
    terms.map((term, index) => [term.toLowerCase(), Number(values[index]!.replaceAll(/\D/g, ''))]),
  );
}

export async function downloadBy(page: Page, button: string): Promise<{ name: string; text: string }> {
  const download: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

/** Rows and cells without quotes; enough for what tests write. */
export function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  const pattern = new RegExp(`("(?:[^"]|"")*"|[^${separator}\\r\\n"]*)(${separator}|\\r?\\n|$)`, 'gy');
  for (const [whole, cell = '', end] of text.replace(/^\ufeff/, '').matchAll(pattern)) {
    if (whole === '') break;
    rows.at(-1)!.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end !== separator && end !== '') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}
