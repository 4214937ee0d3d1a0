import { Field, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';

@InputType({ description: 'E-mail address and password.' })
export class LoginInput {
  @Field(() => String, { description: 'E-mail address of the user.' })
  @Characters(1, 320)
  email!: string;

  @Field(() => String, { description: 'Password of the user.' })
  @Characters(1, 1024)
  password!: string;
}

@InputType({ description: 'Refresh token.' })
export class RefreshInput {
  @Field(() => String, { description: 'Refresh token of the last login or refresh.' })
  @MaxCharacters(200)
  refreshToken!: string;
}
