export const portuguese = {
  sales: [
    `c: Oi, vocês entregam em São Paulo?
a: Olá, {name}! Entregamos sim, toda terça e sexta. Quantos quilos por mês você usa?
c: uns {kilos} kg
a(prices): Para {kilos} kg por mês o {blend} sai a {price} o quilo, com entrega. Quer marcar uma degustação?
c: quero sim!
h: Perfeito. Vou chamar uma pessoa da equipe para combinar a data.
p: Oi {name}, aqui é {operator}. Pode ser {day} às 15h aí no {company}?
c: Pode! Até lá
p: Combinado ☕`,
    `c: Bom dia! Qual café vocês indicam para cold brew?
a(cold-brew): Bom dia! Para cold brew o {blend} fica ótimo: doce, com pouca acidez. Moagem grossa, 80 g por litro, 16 horas na geladeira.
c: e vendem já moído?
a: Sim, moemos na hora do envio. É só dizer o método.
c: então manda 3 kg para o {company}
a: Anotado: 3 kg de {blend}, moagem grossa, para {company}. Chega até {day}.
c: valeu!`,
    `c: Queria saber do aluguel da máquina
a(rent): Temos de um e de dois grupos, com manutenção incluída. A menor começa em R$ 490 por mês. É para um lugar novo?
c: Sim, abrimos mês que vem
h: Parabéns pela casa nova! Uma colega vai falar com você sobre a instalação.
n: Inauguração no mês que vem. Incluir treinamento de barista na proposta.
p: Oi {name}! {operator} aqui. Consigo visitar o {company} na {day} para ver o ponto de água e a energia. Serve?
c: Serve, obrigado!`,
  ],
  support: [
    `c: Meu pedido {order} ainda não chegou
a: Olá, {name}! O pedido {order} saiu ontem e a entrega está prevista para {day}.
c: Ok, obrigado
a: Por nada! Qualquer coisa, é só chamar.`,
    `c: A máquina está vazando água
a: Sinto muito! Por favor, desligue e feche o registro. O vazamento é na frente ou embaixo?
c: embaixo
h(missing): Então é caso para o técnico. Vou chamar alguém da equipe agora.
p: {name}, aqui é {operator}. O técnico passa aí hoje até as 17h. Tudo bem?
c: Tudo bem, estamos aqui
n: Cliente com contrato de manutenção: sem custo.
p: Qualquer coisa, me chame por aqui mesmo.
c: Consertou! Muito obrigada 🙏`,
    `c: vcs podem mandar a nota fiscal de novo?
a: Claro! De qual pedido?
c: {order}
a: Enviei a nota do pedido {order} para o e-mail cadastrado.
c: chegou, obrigado`,
    `c: Quero falar com um atendente
h: Claro, vou chamar uma pessoa. Um momento, por favor.
p: Oi {name}, sou {operator}. Como posso ajudar?
c: Veio o café errado, pedi {blend}
p: Puxa, desculpe. Mando o certo amanhã cedo, e pode ficar com o outro.
c: Que atendimento bom, obrigado`,
  ],
};
