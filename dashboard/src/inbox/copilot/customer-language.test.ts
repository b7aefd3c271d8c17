import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf, languagesFor } from './customer-language.ts';

test('a language is recognised in a short message', () => {
  const said = {
    en: 'Where is my order?',
    pt: 'Onde está o meu pedido?',
    es: '¿Dónde está mi pedido?',
    fr: 'Bonjour, où est mon colis ?',
    de: 'Wo ist mein Paket?',
    it: 'Quando arriva il mio pacco?',
    nl: 'Waar is mijn pakket?',
    pl: 'Gdzie jest moja paczka?',
    tr: 'Merhaba, siparişim nerede?',
    ru: 'Где мой заказ?',
    uk: 'Де моє замовлення, і коли?',
    ar: 'أين طلبي؟',
    zh: '我的订单在哪里',
    ja: '注文はどこですか',
    ko: '제 주문은 어디에 있나요',
  };
  for (const [language, text] of Object.entries(said)) assert.equal(languageOf([text]), language, text);
});

test('a text without a language does not decide', () => {
  assert.equal(languageOf(['4711', '👍', 'Wo ist mein Paket?']), 'de');
  assert.equal(languageOf(['OK']), null);
});

test("the customer's language is the first, the reader's own the last, each once", () => {
  const list = languagesFor(['Wo ist mein Paket?'], 'en');
  assert.deepEqual([list[0], list.at(-1)], ['de', 'en']);
  assert.equal(new Set(list).size, list.length);
  assert.equal(languagesFor([], 'pt').at(-1), 'pt');
});
