/** The pages of a help center in a real Chromium: its policy, its script, its looks, and the chat beside them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { filesOf } from '../support/files.ts';
import { png } from '../support/sample-files.ts';
import { startWidget, type WidgetStage } from '../support/widget.ts';

describe('the help center in a browser', () => {
  let stage: WidgetStage;
  let home: string;
  let article: string;
  let arabic: string;
  before(async () => {
    stage = await startWidget();
    const call = async (method: string, path: string, body?: object) => {
      const answer = await stage.service.call(method, path, { ...(body && { body }) });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const files = await filesOf(stage.service, stage.base);
    const { fileKey: logoFileKey } = await files.upload('image/png', png(64, 64), 'logo.png');
    const { fileKey } = await files.upload('image/png', png(400, 120), 'label.png');
    const look = { name: 'Harbour Help', color: '#0f5c4d', logoFileKey, languages: ['en', 'pt', 'ar'] };
    const homeText = 'Answers about orders, parcels and returns.';
    await call('PATCH', '/help-center', { enabled: true, slug: 'harbour', homeText, ...look });
    const sourceId = (await call('GET', '/knowledge/sources')).items[0].id;
    const { id: collectionId } = await call('POST', '/knowledge/collections', { name: 'Orders and parcels' });
    const text = `You can return a product within **30 days**.\n\n## How it works\n\n1. Pack it.\n2. Print the label at [our site](https://example.com/label).\n3. Bring it to a shop: \`code 42\`\n\n![A label](file:${fileKey})\n\n| Size | Price |\n|---|---|\n| Small | 4 |\n| Large | 8 |\n\n### Late returns\n\n\`\`\`\na very long line of code that has to be scrolled because it is wider than the page of a telephone can show\n\`\`\``;
    const published = { sourceId, collectionId, state: 'published' };
    const { id } = await call('POST', '/knowledge/documents', {
      ...published,
      title: 'Return a product',
      text,
    });
    const translation = {
      language: 'pt',
      translationOf: id,
      title: 'Devolver um produto',
      text: 'Até 30 dias.',
    };
    await call('POST', '/knowledge/documents', { ...published, ...translation });
    await call('POST', '/knowledge/documents', {
      ...published,
      title: 'Where is my parcel?',
      text: 'On its way.',
    });
    const { id: arabicId } = await call('POST', '/knowledge/documents', {
      ...{ ...published, language: 'ar', translationOf: id, title: 'كيف أعيد منتجا؟' },
      text: 'خلال **30 يوما**.\n\n| الحجم | السعر |\n|---|---|\n| صغير | 4 |',
    });
    arabic = `${stage.base}/help/harbour/ar/articles/${arabicId}`;
    home = `${stage.base}/help/harbour/en/`;
    article = `${home}articles/${id}`;
  });
  after(() => stage.close());

  const read = async (
    url: string,
    run: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ) => {
    const context = await stage.browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    const heard: string[] = [];
    page.on('console', (message) => message.type() === 'error' && heard.push(message.text()));
    page.on('pageerror', (error) => heard.push(String(error)));
    await page.goto(url);
    await run(page);
    assert.deepEqual(heard, []);
    await context.close();
  };

  it('has no serious fault of accessibility, in both themes, and nothing wider than a telephone', async () => {
    const phone = { viewport: { width: 360, height: 740 } };
    for (const url of [home, article, arabic, `${stage.base}/help/harbour/search?q=return&language=en`]) {
      await read(
        url,
        async (page) => {
          assert.deepEqual(await violationsInBothThemes(page), [], url);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          assert.equal(width, 360, url);
        },
        phone,
      );
    }
  });

  it('suggests while one types, with typos, and keeps quiet about what is gone', async () => {
    await read(home, async (page) => {
      const box = page.getByRole('searchbox');
      const link = page.locator('#suggestions').getByRole('link', { name: 'Return a product' });
      await box.pressSequentially('retrn produ');
      await link.waitFor();
      await box.fill('');
      await link.waitFor({ state: 'detached' });
      await box.fill('parcel');
      await box.press('Enter');
      await page.getByRole('heading', { name: 'Results for “parcel”' }).waitFor();
      await page.getByRole('link', { name: 'Where is my parcel?' }).click();
      await page.getByRole('heading', { name: 'Where is my parcel?' }).waitFor();
    });
  });

  it('takes feedback in place, and opens the chat by its button', async () => {
    await read(article, async (page) => {
      await page.getByRole('button', { name: 'Yes' }).click();
      await page.getByText('Thank you for your feedback.').waitFor();
      assert.equal(page.url(), article);
      await page.getByRole('button', { name: 'Open chat' }).waitFor();
      await page.getByRole('button', { name: 'Contact us' }).click();
      const chat = page.frameLocator('iframe');
      const search = chat.getByRole('searchbox', { name: 'Search the help center' });
      await search.fill('parcel');
      await chat.getByRole('link', { name: 'Where is my parcel?' }).waitFor();
      assert.deepEqual(await violationsInBothThemes(page), []);
      await search.fill('');
      await chat.getByRole('textbox', { name: 'Write a message' }).fill('how to return a product');
      await chat.getByText('Articles that may help').waitFor();
      const link = chat.getByRole('link', { name: 'Return a product' });
      assert.equal(await link.getAttribute('href'), article);
      await chat.getByRole('button', { name: 'Send', exact: true }).click();
      await search.waitFor({ state: 'detached' });
    });
  });

  it('works without JavaScript', async () => {
    const plain = { javaScriptEnabled: false };
    await read(
      home,
      async (page) => {
        await page.getByRole('searchbox').fill('returns');
        await page.getByRole('button', { name: 'Search' }).click();
        await page.getByRole('link', { name: 'Return a product' }).click();
        await page.getByRole('button', { name: 'No' }).click();
        await page.getByText('Thank you for your feedback.').waitFor();
        assert.equal(await page.getByRole('button', { name: 'Contact us' }).count(), 0);
        await page.getByRole('link', { name: 'português' }).click();
        await page.getByRole('heading', { name: 'Devolver um produto' }).waitFor();
      },
      plain,
    );
  });
});
