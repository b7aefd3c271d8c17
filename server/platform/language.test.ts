import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage, wordsOf } from './language.ts';

const texts = {
  en: [
    'Where is my order?',
    'hi',
    'I would like to know the price',
    'is there anything in blue',
    'opening hours',
  ],
  pt: [
    'Onde está o meu pedido?',
    'oi',
    'gostaria de saber o preço',
    'não recebi',
    'quanto custa a entrega',
    'São',
  ],
  es: ['¿Dónde está mi pedido?', 'hola', 'quisiera saber el precio', 'no lo recibí', 'mañana'],
};

for (const language of ['en', 'pt', 'es'] as const) {
  test(`${language} is told from short messages`, () => {
    for (const text of texts[language]) assert.equal(detectLanguage([text]), language, text);
  });
}

test('another language, or none, is not taken for one of the three', () => {
  for (const text of [
    '',
    '12345',
    '👍',
    'お店は何時に',
    'Привет, где мой заказ',
    'Wo bleibt meine Bestellung',
  ]) {
    assert.equal(detectLanguage([text]), null, text);
  }
});

test('the first text that shows a language decides', () => {
  assert.equal(detectLanguage(['ok', '12', 'onde está?', 'where is it?']), 'pt');
});

test('words have no case and no accents', () => {
  assert.deepEqual(wordsOf('Olá, AÇÃO—n.º 5!'), ['ola', 'acao', 'n', 'o', '5']);
});
