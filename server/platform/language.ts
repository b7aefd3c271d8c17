/** Words of the three languages of the fixed texts: which language a text is in, and which words carry no meaning. */

export type Language = 'en' | 'pt' | 'es';

/**
 * Function words, without accents. They identify the language and are left out of searches, so a word that customers
 * may ask about does not belong here.
 */
const functionWords: Record<Language, Set<string>> = {
  en: wordSet(`a about all also am an and any anything are as at be because been but by can could did do does doing don for
    from get give had has have having he hello help her here hey hi him his how i if in into is it its just know let
    like long m me more much my need no not of off on one or our out please re s she should so some something t take takes tell than thank
    thanks that the their them then there these they this to too up us ve very want was we were what when where
    which who why will with would yes you your`),
  pt: wordSet(`a agora ainda ajuda ao aos aqui as ate bom boa brigado com como da dar das de dela dele deles depois
    dia do dos e ela ele eles em entao era essa esse esta estao estou eu fazer foi gostaria ha isso isto ja la lhe mais mas
    me meu meus minha muito na nao nas nem no noite nos nossa nosso numa num o obrigada obrigado oi ola onde os ou
    para pela pelo pode podem poderia por porque posso pra preciso qual quais quando quanto quantos que quem quero
    saber se sem ser seu seus sim so sobre sou sua suas tambem tarde te tem tenho ter um uma umas uns vai vcs vc voce
    voces vou`),
  es: wordSet(`a ahora al algo aqui ayuda buen buena buenas bueno buenos como con cual cuales cuando cuanto cuantos
    cuesta de del desde dias dime donde el ella ellos en entonces era es esa ese eso esta estan este esto estoy favor
    fue gracias ha hacer hasta hay hola la las le les lo los mas me mi mis mucho muy necesito ni no noches nos nosotros o
    para pero por porque puede puedo pueden que quien quiero quisiera saber se ser si sin sobre soy su sus tambien
    tardes te tengo tener tiene tienen tu tus un una unas unos usted ustedes va voy y ya yo`),
};

/** Common words of commerce, without accents: they identify the language of messages too short for the others. */
const tradeWords: Record<Language, Set<string>> = {
  en: wordSet(
    `delivery hours human open opening order payment person price refund return ship shipping shop store`,
  ),
  pt: wordSet(`aceita aceitam atendente cartao comprar devolucao entrega frete funcionamento humano loja pagamento
    pedido pessoa prazo preco troca trocas`),
  es: wordSet(`acepta aceptan agente comprar devolucion entrega envio envios horarios humano pago pedido persona precio
    tarjeta tienda`),
};

export function isFunctionWord(word: string): boolean {
  return functionWords.en.has(word) || functionWords.pt.has(word) || functionWords.es.has(word);
}

/** Lower case without accents, so that a word is the same however it was typed. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

export function wordsOf(text: string): string[] {
  return plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Without function words. */
export const meaningfulWords = (text: string): string[] =>
  wordsOf(text).filter((word) => !isFunctionWord(word));

/** The first text that is clearly in one of the languages decides; null if none is. */
export function detectLanguage(texts: string[]): Language | null {
  for (const text of texts) {
    const language = languageOf(text.slice(0, 2_000));
    if (language) return language;
  }
  return null;
}

function languageOf(text: string): Language | null {
  // Letters and marks that only one of the three uses; ç is omitted because French has it too.
  const composed = text.normalize('NFC').toLowerCase();
  const score: Record<Language, number> = {
    en: 0,
    pt: /[ãõ]/.test(composed) ? 2 : 0,
    es: /[ñ¿¡]/.test(composed) ? 2 : 0,
  };
  for (const word of wordsOf(text)) {
    for (const language of ['en', 'pt', 'es'] as const) {
      if (functionWords[language].has(word) || tradeWords[language].has(word)) score[language] += 1;
    }
  }
  const [best, second] = Object.entries(score).sort((one, other) => other[1] - one[1]) as [
    Language,
    number,
  ][];
  return best![1] > second![1] ? best![0] : null;
}

function wordSet(text: string): Set<string> {
  return new Set(text.split(/\s+/));
}
