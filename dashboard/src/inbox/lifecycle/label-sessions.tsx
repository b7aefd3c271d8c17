/** Labels of the conversations that were asked for; mounted once with the inbox. */
import LabelDialog from '../../labels/label-dialog.tsx';
import { tn } from '../../texts/texts.ts';
import { newest } from '../data/inbox-actions.ts';
import { labelling } from './session-requests.ts';
import { labelSessions } from './triage.ts';

export default function LabelSessions() {
  const sessions = labelling.use();
  const current = () => sessions.map(newest);
  return (
    <LabelDialog
      title={tn('labels.sessions', sessions.length)}
      current={() => current().map(({ labelIds }) => labelIds)}
      onChange={(change) => labelSessions(current(), change)}
      onClose={labelling.end}
    />
  );
}
