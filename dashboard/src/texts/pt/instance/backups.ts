import type { backups as english } from '../../en/instance/backups.ts';
import type { Translated } from '../../translated.ts';

export const backups: Translated<typeof english> = {
  'backups.text':
    'Backups que o serviço faz do banco de dados e de todos os arquivos. Cada um é restaurado como teste antes de ser considerado bom.',
  'backups.off': 'O serviço não faz backups',
  'backups.offText':
    'Defina BACKUP_TO e BACKUP_SCHEDULE no ambiente do serviço. docs/backups.md explica como.',
  'backups.now': 'Fazer backup agora',
  'backups.started': 'O backup começou',
  'backups.notStarted': 'Não foi possível iniciar o backup',
  'backups.to': 'Guardados em',
  'backups.next': 'Próximo',
  'backups.never': 'Somente quando pedido',
  'backups.encryption': 'Criptografia',
  'backups.encrypted': 'Criptografados com uma chave pública',
  'backups.plain': 'Sem criptografia',
  'backups.list': 'Últimas execuções',
  'backups.stored': 'Backups guardados',
  'backups.storedText':
    'O que está neste local agora, não importa quem colocou. Somente os bons podem ser restaurados.',
  'backups.storedNone': 'Ainda não há backups neste local.',
  'backups.notGood': 'Não está bom',
  'backups.notGoodText': 'Não foi concluído, ou o arquivo foi alterado depois',
  'backups.missing': 'Arquivo ausente',
  'backups.verifiedAt': 'Verificado {time}',
  'backups.neverVerified': 'Não verificado',
  'backups.isEncrypted': 'Criptografado',
  'backups.none': 'Nenhum backup foi feito ainda.',
  'backups.waiting': 'Aguardando',
  'backups.writing': 'Gravando',
  'backups.verifying': 'Verificando',
  'backups.good': 'Bom',
  'backups.verified': 'Verificado',
  'backups.failed': 'Falhou',
  'backups.removed': 'Removido',
  'backups.progress': 'Progresso do backup',
  'backups.rows': 'Linhas: {rows} · arquivos: {files}',
  'backups.size': '{size} · linhas: {rows} · arquivos: {files}',
  'backups.unverified': 'Não verificado: {reason}',
  'backups.lastFailed': 'O último backup falhou',
};
