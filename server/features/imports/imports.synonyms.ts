/** Synonyms in English, Portuguese and Spanish, folded: lower case, no accents, letters and digits only. */

export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const group = (words: string) => words.split(' ');

/** In order of preference: a contact's name is a better title than a company's. */
export const titleWords = group(
  `title titulo name nome nombre fullname nomecompleto nombrecompleto customer customername client clientname cliente
  nomedocliente nomecliente nombredelcliente nombrecliente contact contactname contato nomedocontato contacto
  nombredelcontacto lead leadname deal dealname negocio oportunidade oportunidad opportunity subject assunto asunto`.replace(
    /\s+/g,
    ' ',
  ),
);
export const statusWords = group(
  'status stage state etapa fase situacao estado estatus situacion pipelinestage',
);
export const channelWords = group('channelid channel canal idcanal iddocanal iddelcanal');
export const assigneeWords = group(
  'assigneduserids assigned assignedto assignee owner responsible agent salesperson responsavel vendedor atribuidoa atendente dono proprietario responsable asignado asignadoa propietario agente encargado',
);

/** Fields are named by their owners: a column and a field in the same group mean the same. */
const groups: string[][] = [
  group(
    'email emails mail emailaddress enderecodeemail correo correoelectronico direcciondecorreo correoe emaildocliente emailcliente',
  ),
  group(
    'phone phonenumber telephone tel mobile mobilephone cell cellphone whatsapp telefone fone celular numero numerodetelefone telefonecelular telefono movil telefonomovil numerodetelefono ndetelefono',
  ),
  group(
    'company companyname organization organisation empresa nomedaempresa compania organizacao organizacion razaosocial razonsocial',
  ),
  group('city town cidade ciudad localidade localidad municipio'),
  group('country pais'),
  group('region province uf provincia departamento regiao'),
  group('address streetaddress street endereco logradouro rua direccion domicilio calle'),
  group('zip zipcode postalcode postcode cep codigopostal'),
  group('amount value dealvalue price total valor valortotal preco monto importe precio'),
  group('date data fecha'),
  group(
    'birthday birthdate dateofbirth datadenascimento nascimento aniversario fechadenacimiento nacimiento cumpleanos',
  ),
  group(
    'notes note comments comment remarks description observacoes observacao notas nota comentarios comentario descricao descripcion observaciones',
  ),
  group('website web site url homepage sitio sitioweb paginaweb pagina'),
  group('tags tag labels etiquetas marcadores rotulos'),
  group('source origin leadsource origem fonte origen fuente'),
  group('jobtitle position role cargo funcao puesto posicion'),
  group('taxid vat vatid cpf cnpj cpfcnpj documento nif rfc rut cuit document'),
  group('quantity qty quantidade qtd qtde cantidad'),
  group('product produto producto'),
  group('priority prioridade prioridad'),
];

const groupOf = new Map(groups.flatMap((words, index) => words.map((word) => [word, index] as const)));
export const emailGroup = 0;
export const phoneGroup = 1;

export function wordGroup(text: string): number | null {
  return groupOf.get(fold(text)) ?? null;
}
