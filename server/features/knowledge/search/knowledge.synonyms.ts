/**
 * Words of support that customers and articles use for the same, without accents, in groups. General words of trade and
 * of everyday life only: what one company calls something belongs into its articles.
 */
import type { Vocabulary } from '../../../search-engine/passages/passage-index.ts';

const groups: { [language: string]: string } = {
  en: `refund reimburse reimbursement repay money | return back | cancel cancellation quit end stop terminate withdraw
    | delivery deliver delivered shipping ship shipment arrive | parcel package box packet | order purchase buy
    bought | phone mobile smartphone iphone android cellphone telephone | laptop notebook computer pc | tablet ipad
    | television tv | screen display monitor | broken faulty defective damaged cracked broke smashed crack | repair
    fix mend | price cost fee charge much expensive cheap rate | cheaper discount deal promo offer | coupon voucher
    promo code | instalment installment monthly | invoice bill receipt | late delayed delay | lost missing gone
    disappear | stolen theft burglary thief steal | car vehicle | accident crash collision hit | illness sick ill
    disease | doctor physician | hospital clinic | address postcode zip | move relocate | home house flat apartment
    | password pin passcode | login sign log | delete erase remove | restore recover undo | account profile | change
    edit modify alter correct | reschedule postpone | error problem issue trouble | slow sluggish lag | crash outage
    down | email mail e | spam junk | website site page blog | upgrade plan subscription membership | employee staff
    worker colleague coworker teammate | salary wage pay payroll paycheck | holiday vacation leave | boss manager |
    child kid baby infant son daughter toddler | dog cat pet animal | luggage suitcase bag baggage | flight fly
    plane aircraft | ticket booking reservation | book title novel | borrow loan | extend renew | fine penalty fee |
    owe debt arrears | electricity power energy | outage cut blackout | store shop branch | open hours opening |
    forgot forget forgotten | name surname spelling | wifi internet wireless network | photo picture image | replace
    replacement swap substitute exchange | colour color | garbage trash | spouse husband wife | mother mum mom
    parent father dad | die dead death deceased | begin start | finish complete end | help support assistance |
    wrong incorrect mistake error | free complimentary | certificate proof | upload import | download export |
    friend guest | food meal dinner grocery | garage parking | bike bicycle cycle | scan photograph | limit maximum
    allowance | tip gratuity | old used second | early soon | owner holder | bank iban | tax vat | injured hurt
    injury | pregnant pregnancy | glass windscreen windshield | stroller pushchair | visit appointment | wage salary
    | fridge refrigerator freezer | allergy allergen allergic nut peanut | vegetarian vegan | job task | assign
    assignee | hacked malware virus infected | secure safe insecure | test staging trial | teacher student academic
    university school | tomorrow next | yearly year annual | monthly month | daily day | leave quit resign |
    freelancer contractor | hire job career recruit`,
  pt: `reembolso reembolsar estorno estornar ressarcir devolver dinheiro | devolucao devolver devolvido arrependimento
    desistir | cancelar cancelamento encerrar desistir parar sair terminar | troca trocar substituir mudar alterar |
    entrega entregar chegar frete envio enviar | pacote encomenda pedido compra caixa embrulho | rastrear acompanhar
    localizar | comprar compra adquirir | loja estabelecimento | celular telefone smartphone aparelho iphone |
    computador notebook pc laptop | defeito quebrado danificado estragado riscado arranhado avariado | conserto
    reparo consertar arrumar | preco valor custo taxa custar quanto | barato desconto promocao liquidacao oferta |
    caro aumento reajuste aumentar subir | cupom codigo voucher vale | parcela parcelar prestacao vezes | boleto
    fatura conta cobranca mensalidade | nota nf nfe nfse fiscal | atraso atrasado demora demorar | prazo tempo
    demora | perdido perder sumiu extraviado sumir | roubo roubado furto furtado roubar furtar perda | bloquear
    travar bloqueio | senha pin | entrar acessar login acesso | excluir apagar deletar remover | conta cadastro
    perfil | endereco cep | mudanca mudar | casa domicilio residencia | erro errado incorreto engano | internet wifi
    rede conexao | lento devagar travando lentidao | sinal funcionar | modem roteador | tecnico instalador visita |
    numero linha | exterior fora internacional estrangeiro | salario ordenado pagamento | emprestimo emprestado |
    divida debito atraso | transferir transferencia enviar mandar | sacar saque retirar | limite credito | cartao
    plastico | golpe fraude | crianca filho filha menor bebe infantil | cachorro gato pet animal cao | mala bagagem
    | voo aviao passagem aereo embarque | hotel hospedagem | reserva reservar | marcar agendar | desmarcar remarcar
    adiar | medico doutor consulta | remedio medicamento | receita prescricao | exame teste | dentista dente
    odontologico | vacina imunizacao | atestado declaracao comprovante | academia treino treinar | aula curso |
    professor instrutor | certificado diploma | prova exame avaliacao | baixar download | assistir ver video | amigo
    convidado acompanhante | horario funcionamento abrir | feriado domingo | entregador motoboy motoqueiro |
    restaurante cozinha | comida lanche prato refeicao | gorjeta caixinha | mercado supermercado | roupa peca |
    calca jeans | tamanho medida numero | apertado pequeno | falso falsificado original pirata | presente surpresa |
    sofa estofado poltrona | movel moveis | colchao cama | montagem montar montador | manual instrucao guia |
    parafuso ferragem peca | mancha derramar derramado limpar limpeza sujar | antigo velho usado | retirar buscar
    pegar | empresa firma cnpj | planilha excel | importar subir | exportar baixar | usuario pessoa | contador
    contabilidade | gratis gratuito graca | pessoa alguem | namorado marido esposa conjuge | gravida parto gestante
    gravidez | plano assinatura | multa fidelidade | faltar falta faltando | avisar aviso lembrete | titular dono
    titularidade | nome sobrenome | gastar usar | juros rotativo | aumentar aumento | leitor maquininha | vencer
    vencimento | rejeitada recusada rejeitar recusar | chip esim | banda velocidade mega | dados franquia`,
  es: `reembolso reembolsar devolver dinero | devolucion devolver arrepentir | cancelar cancelacion anular terminar
    baja | cambio cambiar sustituir modificar | entrega entregar envio enviar llegar reparto | paquete pedido compra
    encomienda caja | rastrear seguimiento localizar | comprar compra adquirir | tienda comercio sucursal local |
    celular movil telefono smartphone | ordenador computadora portatil pc | defecto defectuoso roto danado averiado
    estropeado | reparar arreglar reparacion | precio costo coste valor tarifa | barato descuento oferta promocion
    rebaja | caro aumento subir | cupon codigo vale | cuota plazo mensualidad | factura recibo cuenta | retraso
    tarde demora demorar | perdido perder extraviado desaparecer | robo robado robar hurto | bloquear bloqueo |
    contrasena clave pin | entrar acceder sesion acceso | eliminar borrar quitar | cuenta registro perfil |
    direccion domicilio | mudanza mudar trasladar | casa hogar domicilio vivienda | error equivocado incorrecto mal
    | internet wifi red conexion | lento lentitud | senal cobertura | tecnico instalador visita | numero linea |
    extranjero exterior internacional | salario nomina sueldo | prestamo credito | deuda impago | transferir
    transferencia enviar | sacar retirar cajero | limite cupo | tarjeta plastico | estafa fraude | nino hijo hija
    menor bebe | perro gato mascota animal | maleta equipaje | vuelo avion pasaje billete | hotel alojamiento |
    reserva reservar | cita consulta turno | medico doctor | medicamento medicina remedio | receta prescripcion |
    examen prueba analisis | dentista diente dental | certificado diploma comprobante | curso clase | profesor
    instructor | descargar bajar | ver video | amigo invitado acompanante | horario abrir apertura | feriado festivo
    domingo | repartidor mensajero | restaurante cocina | comida plato | propina | ropa prenda | talla medida tamano
    | falso falsificado original | regalo sorpresa | sofa sillon | mueble muebles | colchon cama | montaje montar
    armar | manual instrucciones guia | mancha limpiar limpieza | viejo antiguo usado | recoger retirar | empresa
    negocio | importar subir | exportar bajar | gratis gratuito | marido esposa conyuge | embarazo embarazada parto
    | plan suscripcion | multa penalizacion | faltar falta | aviso recordatorio avisar | titular dueno | nombre
    apellido | impuesto iva | ayuda soporte asistencia | coche auto vehiculo carro`,
};

/** Stems of words that are in a group with a stem. A word may be in several groups. */
export function relatedStems(stem: Vocabulary['stem']): Vocabulary['related'] {
  const byLanguage = new Map(
    Object.entries(groups).map(([language, text]) => [
      language,
      relatedIn(text, (word) => stem(language, word)),
    ]),
  );
  return (language, of) => byLanguage.get(language.split('-', 1)[0]!)?.get(of) ?? [];
}

function relatedIn(text: string, stem: (word: string) => string): ReadonlyMap<string, readonly string[]> {
  const related = new Map<string, readonly string[]>();
  for (const group of text.split('|')) {
    const stems = [...new Set(group.trim().split(/\s+/).map(stem))];
    for (const one of stems) {
      const others = stems.filter((other) => other !== one);
      related.set(one, [...new Set([...(related.get(one) ?? []), ...others])]);
    }
  }
  return related;
}
