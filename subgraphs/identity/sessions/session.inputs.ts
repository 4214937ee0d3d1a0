import { Field, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';

@InputType()
export class LoginInput {
  @Field(() => String)
  @Characters(1, 320)
  email!: string;

  @Field(() => String)
  @Characters(1, 1024)
  password!: string;
}

@InputType()
export class RefreshInput {
  @Field(() => String)
  @MaxCharacters(200)
  refreshToken!: string;
}
