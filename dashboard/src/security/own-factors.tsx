import { useQuery } from '@tanstack/react-query';
import { Answer } from '../settings/parts/section.tsx';
import { AppFactor } from './app-factor.tsx';
import { factorsQuery } from './factor-data.ts';
import { Passkeys } from './passkeys.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export function OwnFactors() {
  const factors = useQuery(factorsQuery);
  return (
    <Answer query={factors}>
      {(own) => (
        <>
          <AppFactor factors={own} />
          <Passkeys factors={own} />
          {(own.totp || own.passkeys.length > 0) && <RecoveryCodes factors={own} />}
        </>
      )}
    </Answer>
  );
}
