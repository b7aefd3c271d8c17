/** The articles of the demo's help center, in English, Portuguese and Spanish. */
import type { DemoLanguage } from './demo.scripts.ts';

export const collections = ['Coffee and prices', 'Orders and invoices', 'Machines'] as const;

export interface DemoArticle {
  /** Turns of the scripts cite it by this name. */
  name: string;
  /** Null: it is not on the site. */
  collection: (typeof collections)[number] | null;
  isInternal?: boolean;
  isDraft?: boolean;
  /** The first one is the original of the others. */
  texts: { language: DemoLanguage; title: string; text: string }[];
}

export const collectionNames: {
  readonly [name in (typeof collections)[number]]: { readonly [language in 'es' | 'pt']: string };
} = {
  'Coffee and prices': { es: 'Café y precios', pt: 'Café e preços' },
  'Orders and invoices': { es: 'Pedidos y facturas', pt: 'Pedidos e faturas' },
  Machines: { es: 'Máquinas', pt: 'Máquinas' },
};

export const homeText =
  'Answers about our coffee, your orders and your machine. Not found? **Write to us**: we are there Monday to Friday, 8:00 to 18:00.';

export const homeTexts = {
  es: 'Respuestas sobre nuestro café, sus pedidos y su máquina. ¿No lo encuentra? **Escríbanos**: estamos de lunes a viernes, de 8:00 a 18:00.',
  pt: 'Respostas sobre nosso café, seus pedidos e sua máquina. Não encontrou? **Escreva para nós**: estamos de segunda a sexta, das 8:00 às 18:00.',
};

export const articles: DemoArticle[] = [
  {
    name: 'prices',
    collection: 'Coffee and prices',
    texts: [
      {
        language: 'en',
        title: 'Prices of coffee',
        text: `The price depends on the coffee and on how much you need in a month. Delivery is included.

| Coffee | From 5 kg | From 40 kg |
|---|---|---|
| House blend | 18.50 a kilo | 16.65 a kilo |
| Single origin | 24.00 a kilo | 21.60 a kilo |

## Prices for larger amounts

From 40 kg a month on, everything is ten per cent less. You can combine several coffees to reach the 40 kg.

## Change the amount

You can order more or less in any month. Tell us until the 25th of the month before.`,
      },
      {
        language: 'pt',
        title: 'Preços do café',
        text: `O preço depende do café e de quanto você usa por mês. A entrega está incluída.

## Preços para quantidades maiores

A partir de 40 kg por mês, tudo custa dez por cento menos. Você pode combinar vários cafés para chegar aos 40 kg.

## Mudar a quantidade

Você pode pedir mais ou menos em qualquer mês. Avise até o dia 25 do mês anterior.`,
      },
      {
        language: 'es',
        title: 'Precios del café',
        text: `El precio depende del café y de cuánto necesita al mes. La entrega está incluida.

## Precios para cantidades mayores

A partir de 40 kg al mes, el precio baja un 10 %. Puede combinar varios cafés para llegar a los 40 kg.

## Cambiar la cantidad

Puede pedir más o menos cualquier mes. Avísenos hasta el día 25 del mes anterior.`,
      },
    ],
  },
  {
    name: 'samples',
    collection: 'Coffee and prices',
    texts: [
      {
        language: 'en',
        title: 'Samples and tastings',
        text: `## Sample box

A sample box with three times 250 g is free for cafés. It leaves with the next post and arrives within three days.

## Tastings at your place

A tasting takes half an hour. A person of our team arranges the date with you and brings three coffees and a grinder.

## Tasting room

Our tasting room is open to everyone on the first Saturday of the month, from 10:00 to 14:00. No booking is needed. For groups of six or more, write to us first.`,
      },
      {
        language: 'pt',
        title: 'Amostras e degustações',
        text: `## Caixa de amostras

A caixa com três cafés de 250 g é grátis para cafeterias e chega em até três dias.

## Degustação no seu espaço

Dura meia hora. Uma pessoa da equipe combina a data com você.`,
      },
    ],
  },
  {
    name: 'cold-brew',
    collection: 'Coffee and prices',
    texts: [
      {
        language: 'en',
        title: 'Which coffee for which drink?',
        text: `## Milk drinks

For flat white, cappuccino and latte, choose a blend with chocolate, hazelnut and little acidity. It stays clear through the milk.

## Espresso

A blend with a round body and notes of cocoa gives a stable crema.

## Cold brew

Grind coarsely, use 80 g for each litre, and leave it in the fridge for 16 hours.`,
      },
      {
        language: 'pt',
        title: 'Qual café para qual bebida?',
        text: `## Bebidas com leite

Para cappuccino e latte, escolha um blend com chocolate, avelã e pouca acidez.

## Cold brew

Moagem grossa, 80 g por litro, 16 horas na geladeira.`,
      },
      {
        language: 'es',
        title: '¿Qué café para qué bebida?',
        text: `## Bebidas con leche

Para capuchino y latte, elija una mezcla con chocolate, avellana y poca acidez.

## Espresso

Una mezcla de cuerpo redondo y notas de cacao da una crema muy estable.`,
      },
    ],
  },
  {
    name: 'order',
    collection: 'Orders and invoices',
    texts: [
      {
        language: 'en',
        title: 'Where is my order?',
        text: `Orders leave the roastery on the next working day and arrive within three days. The carrier sends the tracking number by e-mail.

## It has not arrived

If it is late by more than a day, tell us the number of the order. We ask the carrier and write to you on the same day.`,
      },
      {
        language: 'pt',
        title: 'Onde está o meu pedido?',
        text: `Os pedidos saem da torrefação no próximo dia útil e chegam em até três dias. A transportadora envia o código de rastreio por e-mail.`,
      },
      {
        language: 'es',
        title: '¿Dónde está mi pedido?',
        text: `Los pedidos salen del tostadero el siguiente día hábil y llegan en tres días. El transportista envía el número de seguimiento por correo.`,
      },
    ],
  },
  {
    name: 'invoices',
    collection: 'Orders and invoices',
    texts: [
      {
        language: 'en',
        title: 'Invoices',
        text: `Every invoice can be sent again or corrected; tell us the number of the order.

## VAT number

Send us the number and the name of the company as it should stand there. The corrected invoice reaches you by e-mail within the hour.`,
      },
      {
        language: 'pt',
        title: 'Notas fiscais',
        text: `Toda nota fiscal pode ser enviada de novo ou corrigida. Diga o número do pedido e ela chega ao e-mail cadastrado.`,
      },
    ],
  },
  {
    name: 'password',
    collection: 'Orders and invoices',
    texts: [
      {
        language: 'en',
        title: 'Sign in to the shop',
        text: `## Forgot password

You can set a new one with "Forgot password" on the sign-in page. The e-mail arrives within a minute. Please check your spam folder.

## Changed address

For your security, a person has to change your e-mail address.`,
      },
    ],
  },
  {
    name: 'rent',
    collection: 'Machines',
    texts: [
      {
        language: 'en',
        title: 'Rent a machine',
        text: `You can rent single group, double group and filter machines, with service included. The smallest begins at 89 a month.

## If it breaks

A technician is with you within one working day, and brings a replacement if the repair takes longer.`,
      },
      {
        language: 'pt',
        title: 'Alugar uma máquina',
        text: `Alugamos máquinas de um e de dois grupos, com manutenção incluída. A menor começa em R$ 490 por mês.`,
      },
    ],
  },
  {
    name: 'descaling',
    collection: 'Machines',
    texts: [
      {
        language: 'en',
        title: 'Cleaning and descaling',
        text: `Descale the machine once a month. It takes 25 minutes.

1. Empty the tank.
2. Fill it with one litre of water and one bag of descaler.
3. Start the programme "Clean".
4. Rinse twice.

## Which descaler?

The one with the blue label that came with your machine. It is part of your service plan, so more bags are free.`,
      },
    ],
  },
  {
    name: 'grinder',
    collection: 'Machines',
    texts: [
      {
        language: 'en',
        title: 'The grinder is loud or jammed',
        text: `Switch it off, take the hopper away, and look whether a stone or a bean blocks the burrs. If it still makes noise, write to us: this needs a technician.`,
      },
      {
        language: 'es',
        title: 'El molino hace ruido o se atasca',
        text: `Apáguelo, retire la tolva y revise si hay algo entre las muelas. Si el ruido sigue, escríbanos: conviene que lo vea un técnico.`,
      },
    ],
  },
  {
    name: 'discounts',
    collection: null,
    isInternal: true,
    texts: [
      {
        language: 'en',
        title: 'Discounts we may give',
        text: 'Up to 15 per cent for a contract of a year. Resellers get 25 per cent from 20 bags a month on.',
      },
    ],
  },
  {
    name: 'saturdays',
    collection: 'Orders and invoices',
    isDraft: true,
    texts: [
      {
        language: 'en',
        title: 'Delivery on Saturdays',
        text: 'To be written: in which towns, and what it costs.',
      },
    ],
  },
];
