export const spanish = {
  sales: [
    `c: Hola, ¿tienen café para oficinas?
a: ¡Hola, {name}! Sí, desde 5 kg al mes, con entrega incluida. ¿Cuánto café consumen?
c: Unos {kilos} kg
a(prices): Con {kilos} kg al mes, el {blend} cuesta {price} el kilo. ¿Le gustaría una degustación en {company}?
c: Sí, la próxima semana
h: Perfecto. Le paso con una persona del equipo para fijar el día.
p: Hola {name}, soy {operator}. ¿Le viene bien el {day} a las 11?
c: Muy bien, los esperamos`,
    `c: ¿El {blend} sirve para espresso?
a(cold-brew): Sí, es el más pedido para espresso: cuerpo redondo, notas de cacao y una crema muy estable.
c: ¿Y hay descuento por volumen?
a(prices): A partir de 40 kg al mes el precio baja un 10 %. También puede combinar varios cafés.
c: Gracias, lo hablo con mi socia y les escribo`,
    `c: Quisiera ser distribuidor en mi ciudad
h(missing): ¡Qué buena noticia! Le paso con la persona encargada de distribuidores.
p: Hola {name}, soy {operator}. Cuénteme: ¿a cuántas cafeterías atiende hoy {company}?
c: A unas quince
n: Zona sin distribuidor. Preparar propuesta con exclusividad por seis meses.
p: Excelente. Le preparo una propuesta y la vemos el {day} por videollamada.
c: Perfecto, muchas gracias`,
  ],
  support: [
    `c: Buenas tardes, ¿dónde está mi pedido {order}?
a: Buenas tardes, {name}. El pedido {order} salió ayer y llega el {day}.
c: Gracias
a: ¡A usted! Si necesita algo más, aquí estoy.`,
    `c: El molino hace un ruido muy raro
a(grinder): Lo siento. Por favor apáguelo, retire la tolva y revise si hay algo entre las muelas.
c: No veo nada
h: Entonces conviene que lo vea un técnico. Llamo a un compañero.
p: Hola {name}, soy {operator}. El técnico puede pasar por {company} mañana a primera hora.
c: Mañana a las 8 está bien
p: Apuntado. Llevará un molino de repuesto por si acaso.
c: Mil gracias`,
    `c: Me cobraron dos veces
h(missing): Disculpe las molestias. Lo revisa ahora mismo una persona.
p: Hola {name}, soy {operator}. Veo el doble cargo del pedido {order}; se lo devolvemos hoy.
c: Gracias por la rapidez 🙏`,
  ],
};
