// Messages of a support team in four languages: a few very frequent words, some hundred words of the trade, a long
// tail of rare ones, names, order numbers, prices, links. Short texts repeat ("ok", "thanks"), as real ones do.

import { REGIONS } from './corpus-words.ts';
import type { Random } from './random.ts';

const words = (list: string): string[] => list.split(' ');

const FREQUENT = words(
  'the to i is it you and a my for de que o e não um com para por en la el los es y no se un me die der und ich das ist nicht ein mit zu of in on that this have can do we your please é da em do na os as mas muito',
);
const TRADE = words(
  'order delivery refund invoice payment tracking parcel address broken arrived waiting yesterday tomorrow cancel change return exchange warranty receipt discount coupon account password login e-mail phone number size colour blue black large small shoes bicycle coffee machine filter charger cable battery screen pedido entrega reembolso fatura pagamento rastreio encomenda endereço quebrado chegou esperando ontem amanhã cancelar trocar devolução garantia recibo desconto cupom conta senha boleto cartão envío factura dirección roto llegó mañana cancelar cambiar devolver recibo descuento cuenta contraseña tarjeta Bestellung Lieferung Rechnung Zahlung Adresse kaputt gestern morgen stornieren umtauschen Rücksendung Garantie Gutschein Konto Passwort Größe Farbe Fahrrad Kaffeemaschine Ladegerät Versand hello thanks thank obrigado obrigada gracias danke bitte hola olá hallo sorry help ajuda ayuda Hilfe question pergunta pregunta Frage problem problema Problem urgent urgente dringend price preço precio Preis available disponível disponible verfügbar store loja tienda Geschäft open aberto abierto geöffnet when quando cuando wann where onde donde wo how como wie much quanto cuánto viel still ainda todavía noch received recebi recibí erhalten sent enviado gesendet wrong errado equivocado falsch money dinheiro dinero Geld back',
);
const SYLLABLES = words(
  'ba ca da fa ga la ma na pa ra sa ta va za be ce de fe ge le me ne pe re se te ve bi ci di fi gi li mi ni pi ri si ti vi bo co do fo go lo mo no po ro so to vo bu cu du fu gu lu mu nu pu ru su tu tra pre pro con dis mente ção ción ung keit ing tion able ment',
);
const REPEATED = words('ok Ok! thanks Obrigado! gracias Danke 👍 sim não yes no olá Hi 🙏 perfeito certo');
const RARE = 80_000;

/** The same word for the same number. */
function rareWord(number: number): string {
  let rest = number;
  let word = '';
  do {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return word + SYLLABLES[(number * 7) % SYLLABLES.length];
}

function word(random: Random): string {
  const kind = random.next();
  if (kind < 0.5) return FREQUENT[Math.floor(FREQUENT.length * random.next() ** 2)]!;
  if (kind < 0.78) return random.pickSkewed(TRADE);
  // Log-uniform: the first are a thousand times as frequent as the last.
  if (kind < 0.93) return rareWord(Math.floor(RARE ** random.next()));
  if (kind < 0.96) return random.pick(random.pick(REGIONS).given);
  if (kind < 0.975) return `#${random.digits(6)}`;
  if (kind < 0.985) return `${random.below(500)},${random.digits(2)}`;
  if (kind < 0.99) return `https://shop.example/p/${random.digits(5)}`;
  return `+55 ${random.digits(2)} 9${random.digits(4)}-${random.digits(4)}`;
}

export function messageText(random: Random): string {
  if (random.chance(0.06)) return random.pick(REPEATED);
  const count = 2 + Math.floor(26 * random.next() ** 1.6);
  let text = '';
  for (let i = 0; i < count; i++) {
    if (i > 0) text += random.chance(0.07) ? random.pick([', ', '. ', '\n', '! ', '? ']) : ' ';
    text += word(random);
  }
  return `${text[0]!.toUpperCase()}${text.slice(1)}${random.pick(['', '', '.', '?', '!', ' 🙂'])}`;
}
