//! One form for characters that look alike.

#[cfg(test)]
use provost_kernel::learn::VerdictTerms;

/// The character that another one is written for: look-alikes of Latin letters, and traditional
/// characters as far as the word lists have them.
pub(super) fn twin(it: char) -> char {
    match it {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '`' => '\'',
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ı' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ǀ' => 'l',
        'м' => 'm',
        'п' | 'η' | 'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        '複' | '復' => '复',
        '證' => '证',
        '據' => '据',
        '應' => '应',
        '議' => '议',
        '進' => '进',
        '確' => '确',
        '認' => '认',
        '過' => '过',
        '斷' => '断',
        '為' | '爲' => '为',
        '當' => '当',
        '則' => '则',
        '寫' => '写',
        '審' => '审',
        '無' => '无',
        '沒' => '没',
        '轉' => '转',
        '實' => '实',
        '條' => '条',
        '態' => '态',
        '夠' => '够',
        '該' => '该',
        '視' => '视',
        '規' => '规',
        '總' => '总',
        '輸' => '输',
        '蓋' => '盖',
        '優' => '优',
        '須' => '须',
        '廠' => '厂',
        '標' => '标',
        '個' => '个',
        '現' => '现',
        '還' => '还',
        '類' => '类',
        '與' => '与',
        _ => it,
    }
}

/// The terms of both languages.
#[cfg(test)]
pub(super) fn terms() -> VerdictTerms {
    let list = |words: &[&str]| words.iter().map(|&it| it.to_owned()).collect();
    VerdictTerms {
        pass: list(&["pass", "通过"]), fail: list(&["fail", "不通过", "未通过"])
    }
}
